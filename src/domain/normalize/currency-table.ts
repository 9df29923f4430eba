/**
 * How money is marked on pages, and which currency that is. `null` is an honest answer: the mark is money, but of more
 * than one country, or of one that is not in ISO 4217. A final dot is printed or not and never listed.
 */
/** Characters that mean money wherever they stand, and marks built with them. */
export const SIGNS: ReadonlyMap<string, string | null> = new Map([
  ...manyCountries('$ ＄ ¥ ￥ ₤ ₶ ﷼ ƒ ₨ 元 圆 圓 Ƀ ₿ R₣ $b B$ Z$ L$ CUC$ S£ SD£'),
  ...each(
    '€:EUR £:GBP ￡:GBP ₹:INR ₽:RUB ₺:TRY ₴:UAH ₪:ILS ₫:VND ₩:KRW ￦:KRW ฿:THB ₦:NGN ₱:PHP ₡:CRC ₲:PYG ₵:GHS ₸:KZT ' +
      '₼:AZN ₾:GEL ֏:AMD ៛:KHR ৳:BDT ₭:LAK ₮:MNT ؋:AFN ⃀:KGS 円:JPY 원:KRW 人民币:CNY',
  ),
  ...each(
    'US$:USD U$S:USD U$D:USD $US:USD A$:AUD AU$:AUD $AU:AUD C$:CAD CA$:CAD CAN$:CAD CAD$:CAD $CA:CAD $CAN:CAD NZ$:NZD ' +
      'HK$:HKD NT$:TWD S$:SGD SG$:SGD R$:BRL MX$:MXN MEX$:MXN AR$:ARS COL$:COP CLP$:CLP RD$:DOP TT$:TTD J$:JMD ' +
      'MOP$:MOP BZ$:BZD N$:NAD G$:GYD GY$:GYD EC$:XCD Bds$:BBD FJ$:FJD $U:UYU UY$:UYU CL$:CLP CO$:COP CI$:KYD BN$:BND WS$:WST SI$:SBD ' +
      'T$:TOP SR$:SRD BM$:BMD BD$:BMD BS$:BSD DO$:DOP JM$:JMD KY$:KYD SB$:SBD BB$:BBD BR$:BRL ' +
      '$HK:HKD $NZ:NZD $SG:SGD $MX:MXN CN¥:CNY JP¥:JPY UK£:GBP GH₵:GHS E£:EGP EG£:EGP £E:EGP FK£:FKP Fl£:FKP £FK:FKP £GI:GIP £GB:GBP £LB:LBP £L:LBP L£:LBP VN₫:VND S/:PEN B/:PAB',
  ),
  ...each('US $:USD|AU $:AUD|CA $:CAD|NZ $:NZD|HK $:HKD|$ US:USD|$ CA:CAD|$ AU:AUD|$ HK:HKD|$ NZ:NZD|$ SG:SGD', '|'),
]);

/** Abbreviations and names: money only as a word of its own beside a number. Upper and lower case are two words. */
export const WORDS: ReadonlyMap<string, string | null> = new Map([
  ...manyCountries(
    'kr Kr KR Rs RS Br Fr Bs F CFA FCFA Dh DH Dhs dirham dirhams Din Dinar Dinara dinar dinara dinars дин динар ' +
      'динара rial rials riyal riyals franc francs Franken dollar dollars Dollar Dollars pound pounds peso pesos Pesos ' +
      'rupee rupees Rupees Kčs koruna korun kronor kroner krona krone Fdj Nfk MK Rf UM Db TSh ' +
      'USh VT ZK FG FRw SPL Esc Afl FBu CF FC FCFP GFr Kz Lek lek Ls Lt Le LL LD Ks MT MTn NAf Nu QR RF SR YR Íkr ' +
      'сом ман L.E R KM र रु ரூ دينار درهم تومان تومن ریال ريال نافكا ናቕፋ ብር ش.ج ش.ص ج.س',
  ),
  ...each(
    'Kč:CZK kč:CZK KČ:CZK Kc:CZK zł:PLN Zł:PLN ZŁ:PLN zl:PLN złotych:PLN Ft:HUF forint:HUF lei:RON Lei:RON LEI:RON ' +
      'leu:RON лв:BGN лева:BGN руб:RUB Руб:RUB РУБ:RUB р:RUB Р:RUB грн:UAH Грн:UAH ГРН:UAH гривень:UAH гривен:UAH ' +
      'тг:KZT тенге:KZT ДЕН:MKD ден:MKD TL:TRY tl:TRY Rp:IDR RP:IDR RM:MYR KD:KWD BD:BHD JD:JOD DT:TND RO:OMR ' +
      'KSh:KES Ksh:KES NIS:ILS Tk:BDT TK:BDT Gs:PYG kn:HRK ' +
      'euro:EUR euros:EUR Euro:EUR Euros:EUR EURO:EUR Eur:EUR ευρώ:EUR евро:EUR yen:JPY Yen:JPY yuan:CNY RMB:CNY ' +
      "CHf:CHF SFr:CHF đ:VND Đ:VND VNĐ:VND vnđ:VND so'm:UZS soʻm:UZS сум:UZS lari:GEL ლარი:GEL บาท:THB " +
      "ש'ח:ILS ש״ח:ILS שח:ILS",
  ),
  ...each(
    'ج.م:EGP د.إ:AED ر.س:SAR ر.ق:QAR ر.ع:OMR د.ك:KWD د.ب:BHD د.ا:JOD د.أ:JOD د.ع:IQD ع.د:IQD د.ت:TND د.م:MAD د.ج:DZD د.ل:LYD ل.د:LYD ' +
      'دج:DZD ل.ل:LBP ل.س:SYP ر.ي:YER',
  ),
]);

/** Written small just as often, and no word of any language we know of. */
export const SMALL_CODES: ReadonlySet<string> = new Set(
  'eur usd gbp chf pln czk huf ron sek nok dkk cad aud nzd jpy cny inr rub uah brl mxn zar sgd hkd aed mkd rsd bgn'.split(
    ' ',
  ),
);

/** Codes that are also words: believed only where nothing but a number stands beside them. */
export const WORDLIKE_CODES: ReadonlySet<string> = new Set(
  'ALL TOP TRY CUP MOP BAM PEN COP BOB SOS ANG MAD LAK AMD'.split(' '),
);

/** Out of use, unknown to Intl, and still on pages. */
export const FORMER_CODES: readonly string[] =
  'ATS BEF BYR CYP DEM EEK ESP FIM FRF GRD IEP ITL LTL LUF LVL MTL NLG PTE ROL SIT SKK TRL'.split(' ');

/** What a mark that several countries use means in one of them. */
export const LOCAL_CURRENCIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  $: {
    ...{ US: 'USD', PR: 'USD', EC: 'USD', SV: 'USD', CA: 'CAD', AU: 'AUD', NZ: 'NZD', SG: 'SGD', HK: 'HKD', TW: 'TWD' },
    ...{ MX: 'MXN', AR: 'ARS', CL: 'CLP', CO: 'COP' },
  },
  kr: { SE: 'SEK', NO: 'NOK', DK: 'DKK', IS: 'ISK', FO: 'DKK', GL: 'DKK' },
  rs: { IN: 'INR', PK: 'PKR', LK: 'LKR', NP: 'NPR', MU: 'MUR' },
  '₨': { IN: 'INR', PK: 'PKR', LK: 'LKR', NP: 'NPR', MU: 'MUR' },
  '¥': { JP: 'JPY', CN: 'CNY' },
  '￥': { JP: 'JPY', CN: 'CNY' },
  元: { CN: 'CNY', TW: 'TWD', HK: 'HKD' },
  fr: { CH: 'CHF', LI: 'CHF' },
  r: { ZA: 'ZAR' },
  br: { BY: 'BYN', ET: 'ETB' },
};

function manyCountries(marks: string): [string, null][] {
  return marks.split(' ').map((mark) => [mark, null]);
}

function each(pairs: string, separator = ' '): [string, string][] {
  return pairs.split(separator).map((pair) => {
    const at = pair.lastIndexOf(':');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}
