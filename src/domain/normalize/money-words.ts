/** Where an amount stands in its text. */
interface Spot {
  start: number;
  end: number;
}

/** How far before an amount a word still speaks of it. */
const NEAR = 40;

const before = (text: string, { start }: Spot): string => text.slice(Math.max(0, start - NEAR), start);

/** What it did cost, where a second price says what it costs now. */
export const isOldPrice = (text: string, spot: Spot): boolean =>
  OLD.test(before(text, spot)) || isSoleOldPrice(text, spot);

/** What it did cost, whatever else is said: shops print `Regular price` also where there is no other, but never `was`. */
export const isSoleOldPrice = (text: string, spot: Spot): boolean => SURELY_OLD.test(before(text, spot));

/** What it costs now. */
export const isNewPrice = (text: string, spot: Spot): boolean => NEW.test(before(text, spot));

const NEW =
  /(?<!\p{L})(?:now|now only|only|sale price|special price|offer price|our price|jetzt|jetzt nur|nur|nur noch|angebotspreis|sonderpreis|maintenant|seulement|prix promo|ahora|solo|agora|por|apenas|ora|adesso|nu|nå|nyní|jen|akční cena|teraz|tylko|cena promocyjna|most|csak|acum|doar|теперь|сейчас|новая цена|şimdi|特価|セール価格)[ :]{0,3}$/iu;

/** Money that is taken off, or that comes on top of the price. */
export const isSaved = (text: string, spot: Spot): boolean =>
  SAVED.test(before(text, spot)) || OFF.test(text.slice(spot.end, spot.end + NEAR));

const GAP =
  '[ :.]{0,3}(?:(?:price|preis|prix|prezzo|precio|preço|cena|pris|prijs|цена)[ :]{0,3})?(?:(?:of|von|de|ab|from)[ :]{1,3})?$';

const OLD = new RegExp(
  `(?<!\\p{L})(?:${[
    'regular(?: price)?|reg|list price|normal(?: price)?|normalpreis|normalpris|originalpreis|prix normal|precio normal',
    'běžná cena|bežná cena|cena regularna|cena katalogowa|ord\\.? ?pris|ordinarie pris|обычная цена|通常価格|정상가',
  ].join('|')})${GAP}`,
  'iu',
);

const SURELY_OLD = new RegExp(
  `(?<!\\p{L})(?:${[
    'was|were|before|previously|formerly|instead of|originally|original(?: price)?|old price|compare at|rrp|msrp|srp|m\\.?r\\.?p|pvpr|pvp recomendado|prix public',
    'statt|anstatt|uvp|früher|vorher|bisher|ehemals|alter preis|ursprünglich|au lieu de|avant|prix barré|prix conseillé',
    'ancien prix|antes|en lugar de|precio anterior|em vez de|anziché|invece di|prima|prezzo consigliato|adviesprijs',
    'in plaats van|van|was|původní cena|původně|místo|pôvodná cena|namiesto|zamiast|stara cena|poprzednia cena',
    'najniższa cena|tidigare|tidigare pris|rek|før|førpris|vejl|helyett|eredeti ár|pret vechi|în loc de|eski fiyat',
    'старая цена|вместо|было|раньше|定価|原价|原價|정가',
  ].join('|')})${GAP}`,
  'iu',
);

const SAVED =
  /(?<!\p{L})(?:you save|saves?|saving|savings|discount|coupon|voucher|rebate|cashback|deposit|spare|sparen|sie sparen|ersparnis|rabatt|rabat|nachlass|gutschein|pfand|économisez|économie|remise|réduction|ahorra|ahorras|ahorro|descuento|desconto|economize|risparmi|risparmia|sconto|bespaar|korting|sleva|slevu|ušetříte|zľava|ušetríte|oszczędzasz|zniżka|spar|du sparer|besparelse|kedvezmény|reducere|economisești|indirim|скидка|экономия|вы экономите|знижка|alennus|shipping|delivery|postage|versand|versandkosten|lieferung|livraison|envío|spedizione|frete|doprava|dostawa|wysyłka|frakt|fragt|verzendkosten|доставка)[ :]{0,3}(?:(?:up to|bis zu|jusqu['’]à|hasta|fino a|až|do|до|of|von|de|di|from|ab)[ :]{1,3})?$/iu;

const OFF =
  /^[ ]?(?:off|discount|rabatt|rabat|nachlass|gutschein|pfand|sparen|gespart|günstiger|cheaper|saved|savings|de réduction|de remise|de rabais|d['’]économie|de descuento|de desconto|di sconto|korting|sleva|slevy|zniżki|taniej|kedvezmény|indirim|скидка|скидки|alennus|shipping|versand|versandkosten|de livraison|cashback|voucher|coupon|deposit)(?!\p{L})/iu;
