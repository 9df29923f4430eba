/** Stylesheets, scripts and images of the site: as heavy as those of ordinary pages, the same in every run. */
import { deflateSync } from 'node:zlib';

const WORDS = (
  'senior engineer remote platform customer team product design cloud data build lead growth secure scale deliver ' +
  'partner health finance mobile network research culture benefits hybrid office quality support analyst manager'
).split(' ');

let seed = 42;
function random() {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return seed / 0x7fffffff;
}

export const repeat = (count, piece) => Array.from({ length: count }, (_, i) => piece(i));
export const words = (count) => repeat(count, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');

export function stylesheet(n) {
  const rule = (i) => {
    const colour = ((i * 4099) % 0xffffff).toString(16).padStart(6, '0');
    const selector = `.c${n}-${i}, .card .c${n}-${i} > span:nth-child(${(i % 7) + 1})`;
    return `${selector}{margin:${i % 13}px;padding:${i % 7}px;color:#${colour};border-radius:${i % 5}px}`;
  };
  return repeat(260, rule).join('\n');
}

/** Much code of which little runs, then a loop and a walk over the page. */
export function script(n) {
  const unused = (i) =>
    `function f${n}_${i}(a,b){var x=a*${i}+b;return x%${i + 3}===0?{v:x,k:"k${i}"}:[x,"${WORDS[i % WORDS.length]}"]}`;
  return `${repeat(300, unused).join('\n')}
(function () {
  var t = 0;
  for (var i = 0; i < 20000; i++) t += f${n}_1(i, 2).length || 1;
  document.documentElement.dataset.s${n} = t;
  document.querySelectorAll('li').forEach(function (e, i) { e.dataset.i = i; });
})();`;
}

/** Asks for the content 50 ms after the page has loaded, as an application does, and says `#ready` when it is there. */
export const APP_SCRIPT = `${script(9)}
window.addEventListener('load', function () {
  setTimeout(function () {
    fetch('/api' + location.pathname).then(function (r) { return r.json(); }).then(function (d) {
      document.title = d.title;
      var root = document.getElementById('root');
      root.innerHTML = d.html;
      var data = document.createElement('script');
      data.type = 'application/ld+json';
      data.textContent = JSON.stringify(d.data);
      document.head.appendChild(data);
      var h = document.createElement('h1');
      h.id = 'ready';
      h.textContent = d.title;
      root.prepend(h);
    });
  }, 50);
});`;

/** A gradient with noise: it decodes like a photograph, 20 to 60 KB. */
export function picture(width, height) {
  const pixels = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      pixels[at] = x + random() * 8;
      pixels[at + 1] = y + random() * 8;
      pixels[at + 2] = (x ^ y) & 255;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const pieces = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...pieces]);
}

function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length);
  out.write(type, 4);
  data.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

const CRC_TABLE = repeat(256, (n) => {
  let value = n;
  for (let k = 0; k < 8; k++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc(bytes) {
  let value = ~0;
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  return ~value >>> 0;
}
