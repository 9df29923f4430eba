import { describe, expect, it } from 'vitest';
import {
  isTollFree,
  normalizeEmail,
  normalizePhone,
  phoneE164,
  sameEmail,
  samePhone,
} from '../../src/domain/normalize/contact.js';

describe('the number as it is dialled from anywhere', () => {
  it.each([
    ['+44 (0)20 7946 0123', null, '+442079460123'],
    ['(+420) 601 234 567', null, '+420601234567'],
    ['0049 89 12345678', null, '+498912345678'],
    ['(212) 736-5000', 'US', '+12127365000'],
    ['0141 496 0123', 'GB', '+441414960123'],
    ['(07) 3000 1234', 'AU', '+61730001234'],
  ])('%s in %s', (printed, country, dialled) => {
    expect(phoneE164(printed, country)).toBe(dialled);
  });

  it.each([
    ['whose country nobody knows', '(212) 736-5000', null],
    ['of a country that is none', '(212) 736-5000', 'XX'],
    ['that is too short', '736-50', 'US'],
    ['that no such country has', '+1 555 0100', null],
  ])('is not made of one %s', (_, printed, country) => {
    expect(phoneE164(printed, country)).toBeNull();
  });
});

describe('phones are the same', () => {
  it('with and without the codes in front and extensions behind', () => {
    expect(samePhone('+1 (212) 736-5000', '212.736.5000 ext. 12')).toBe(true);
    expect(samePhone('020 7946 0123', '+44 20 7946 0123')).toBe(true);
  });

  it('not when the line differs, and never without a number', () => {
    expect(samePhone('212 736 5000', '212 736 5001')).toBe(false);
    expect(samePhone('', '')).toBe(false);
    expect(samePhone(null, '212 736 5000')).toBe(false);
  });

  it.each([
    ['1-800-736-5000', true],
    ['(855) 736-5000', true],
    ['0800 123 4567', true],
    ['1300 123 456', true],
    ['212-736-5000', false],
    ['+44 20 7946 0123', false],
  ])('%s is free to call: %s', (printed, free) => {
    expect(isTollFree(printed)).toBe(free);
  });
});

describe('what is printed', () => {
  it('is kept without its label', () => {
    expect(normalizePhone('Tel: (212) 736-5000 x12')).toBe('(212) 736-5000 x12');
    expect(normalizePhone('callto:+12127365000')).toBe('+12127365000');
    expect(normalizePhone('Call us')).toBeNull();
  });

  it('is one address whatever its case', () => {
    expect(normalizeEmail('mailto:Info@Acme.COM?subject=x')).toBe('Info@acme.com');
    expect(sameEmail('Info@Acme.com', 'mailto:info@acme.com')).toBe(true);
    expect(sameEmail('info@acme.com', 'sales@acme.com')).toBe(false);
  });
});
