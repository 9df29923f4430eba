import { foldLetters } from './text.js';

/** The countries that have a state, province or county of this name or code; nothing else is known of it. */
export function regionOf(word: string): readonly string[] {
  if (/^[A-Z]{2,3}$/.test(word)) return BY_CODE.get(word) ?? [];
  if (word === 'D.C.') return ['US'];
  if (word.length < 3 || word.length > 60) return [];
  const key = foldLetters(word);
  return byName().get(key) ?? (isNamedAsRegion(key) ? ['??'] : []);
}

/** `Plzeňský kraj`, `King County`, `Co. Cork`, `Stockholms län`: the word says itself what it is. */
function isNamedAsRegion(key: string): boolean {
  const words = key.split(' ');
  if (words.length < 2 || words.length > 4 || /[\d/]/.test(key)) return false;
  return KINDS_BEHIND.has(words.at(-1) ?? '') || KINDS_BEFORE.has(words[0] ?? '');
}

const KINDS_BEHIND = new Set('kraj county lan megye oblast область prefecture province fylke maakunta'.split(' '));
const KINDS_BEFORE = new Set('county co co. comunidad provincia judetul wojewodztwo woj. region kraj'.split(' '));

const CODES: Record<string, string> = {
  US:
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA PR RI SC SD TN TX UT VT VA WA WV WI WY',
  CA: 'AB BC MB NB NL NS NT NU ON PE QC SK YT',
  AU: 'NSW VIC QLD WA SA TAS ACT NT',
};

const BY_CODE = index(Object.entries(CODES).map(([country, codes]) => [country, codes.split(' ')]));

// Where a city bears the same name it stands here only if the region is meant far more often (`Luzern` is not here).
const NAMES: Record<string, string> = {
  US:
    'alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,georgia,hawaii,idaho,illinois,' +
    'indiana,iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,' +
    'montana,nebraska,nevada,new hampshire,new jersey,new mexico,new york,north carolina,north dakota,ohio,oklahoma,' +
    'oregon,pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,utah,vermont,virginia,washington,' +
    'west virginia,wisconsin,wyoming,district of columbia,puerto rico,new york state,washington state',
  CA:
    'alberta,british columbia,manitoba,new brunswick,nova scotia,ontario,prince edward island,quebec,saskatchewan,' +
    'newfoundland and labrador,newfoundland,northwest territories,yukon,nunavut',
  AU:
    'new south wales,victoria,queensland,south australia,western australia,tasmania,northern territory,' +
    'australian capital territory',
  GB:
    'england,scotland,wales,northern ireland,greater london,greater manchester,west midlands,east midlands,' +
    'west yorkshire,south yorkshire,north yorkshire,east yorkshire,yorkshire,east riding of yorkshire,tyne and wear,' +
    'tyne & wear,merseyside,bedfordshire,berkshire,buckinghamshire,cambridgeshire,cheshire,cornwall,cumbria,derbyshire,' +
    'devon,dorset,county durham,co durham,east sussex,west sussex,sussex,essex,gloucestershire,hampshire,' +
    'herefordshire,hertfordshire,isle of wight,kent,lancashire,leicestershire,lincolnshire,middlesex,norfolk,' +
    'northamptonshire,northumberland,nottinghamshire,oxfordshire,rutland,shropshire,somerset,staffordshire,suffolk,' +
    'surrey,warwickshire,wiltshire,worcestershire,aberdeenshire,ayrshire,lanarkshire,renfrewshire,north lanarkshire,' +
    'south lanarkshire,midlothian,east lothian,west lothian,fife,gwynedd,powys,dyfed,clwyd,gwent,flintshire,' +
    'pembrokeshire,carmarthenshire,monmouthshire,county antrim,county down,co antrim,co down,beds,berks,bucks,cambs,' +
    'glos,hants,herts,lancs,leics,lincs,northants,notts,oxon,staffs,warks,wilts,worcs',
  IE: 'leinster,munster,connacht,ulster',
  DE:
    'baden-württemberg,baden-wuerttemberg,bayern,bavaria,brandenburg,hessen,hesse,mecklenburg-vorpommern,' +
    'niedersachsen,lower saxony,nordrhein-westfalen,north rhine-westphalia,nrw,rheinland-pfalz,' +
    'rhineland-palatinate,saarland,sachsen,saxony,sachsen-anhalt,saxony-anhalt,schleswig-holstein,thüringen,thueringen,' +
    'thuringia',
  AT:
    'niederösterreich,oberösterreich,niederoesterreich,oberoesterreich,lower austria,upper austria,steiermark,styria,' +
    'kärnten,carinthia,tirol,tyrol,vorarlberg,burgenland,land salzburg',
  CH: 'aargau,thurgau,graubünden,ticino,tessin,valais,wallis,vaud,waadt,basel-landschaft,basel-stadt',
  FR:
    'auvergne-rhône-alpes,bourgogne-franche-comté,bretagne,brittany,centre-val de loire,corse,grand est,' +
    'hauts-de-france,île-de-france,ile de france,normandie,normandy,nouvelle-aquitaine,occitanie,pays de la loire,' +
    "provence-alpes-côte d'azur,paca,alsace,lorraine,rhône-alpes,auvergne,aquitaine,midi-pyrénées,hauts-de-seine," +
    'seine-saint-denis,val-de-marne,seine-et-marne,bouches-du-rhône,alpes-maritimes,haute-garonne,' +
    'loire-atlantique,ille-et-vilaine,bas-rhin,haut-rhin,haute-savoie,pas-de-calais,puy-de-dôme',
  IT:
    'abruzzo,basilicata,calabria,campania,emilia-romagna,emilia romagna,friuli-venezia giulia,friuli venezia giulia,' +
    'lazio,liguria,lombardia,lombardy,marche,molise,piemonte,piedmont,puglia,sardegna,sardinia,sicilia,sicily,toscana,' +
    "tuscany,trentino-alto adige,trentino,alto adige,südtirol,umbria,valle d'aosta,veneto",
  ES:
    'andalucía,andalusia,aragón,asturias,principado de asturias,cantabria,castilla-la mancha,castilla la mancha,' +
    'castilla y león,catalunya,cataluña,catalonia,comunidad de madrid,comunidad valenciana,comunitat valenciana,' +
    'extremadura,galicia,islas baleares,illes balears,islas canarias,canarias,la rioja,navarra,país vasco,euskadi,' +
    'vizcaya,bizkaia,guipúzcoa,gipuzkoa,región de murcia',
  PT: 'alentejo,algarve,açores,madeira',
  NL:
    'noord-holland,north holland,zuid-holland,south holland,noord-brabant,north brabant,gelderland,overijssel,drenthe,' +
    'friesland,flevoland,zeeland',
  BE:
    'vlaanderen,flanders,wallonie,wallonia,vlaams-brabant,brabant wallon,oost-vlaanderen,west-vlaanderen,' +
    'flemish brabant,east flanders,west flanders,hainaut',
  CZ: 'vysočina,kraj vysočina,čechy,morava,moravia,bohemia,slezsko',
  PL:
    'mazowieckie,małopolskie,dolnośląskie,wielkopolskie,śląskie,pomorskie,łódzkie,lubelskie,lubuskie,podkarpackie,' +
    'podlaskie,opolskie,świętokrzyskie,zachodniopomorskie,warmińsko-mazurskie,kujawsko-pomorskie,mazovia,silesia',
  DK: 'hovedstaden,region hovedstaden,midtjylland,syddanmark,nordjylland,sjælland,region midtjylland,region syddanmark',
  SE: 'skåne,västra götaland,dalarna,småland,västerbotten,norrbotten',
  NO: 'viken,vestland,rogaland,trøndelag,innlandet,agder,nordland,troms,finnmark,akershus,østfold,buskerud',
  FI: 'uusimaa,pirkanmaa,varsinais-suomi,pohjois-pohjanmaa,lappi',
  IN:
    'andhra pradesh,assam,bihar,chhattisgarh,goa,gujarat,haryana,himachal pradesh,jharkhand,karnataka,kerala,' +
    'madhya pradesh,maharashtra,odisha,orissa,punjab,rajasthan,tamil nadu,tamilnadu,telangana,uttar pradesh,' +
    'uttarakhand,west bengal',
  BR: 'bahia,ceará,espírito santo,goiás,mato grosso,minas gerais,paraná,pernambuco,rio grande do sul,santa catarina',
  MX: 'jalisco,nuevo león,estado de méxico,baja california,quintana roo,yucatán,sonora,tamaulipas',
  ZA: 'gauteng,western cape,eastern cape,kwazulu-natal,kwazulu natal,limpopo,mpumalanga,free state',
  NZ: 'waikato,bay of plenty,otago',
  MY: 'selangor,johor,penang',
};

let names: ReadonlyMap<string, readonly string[]> | null = null;

function byName(): ReadonlyMap<string, readonly string[]> {
  names ??= index(Object.entries(NAMES).map(([country, list]) => [country, list.split(',').map(foldLetters)]));
  return names;
}

function index(lists: [country: string, words: string[]][]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [country, words] of lists) {
    for (const word of words) found.set(word, [...(found.get(word) ?? []), country]);
  }
  return found;
}
