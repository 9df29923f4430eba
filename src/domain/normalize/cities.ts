import { foldLetters } from './text.js';

/**
 * The countries that have a large city of this name. A compact list of general knowledge, for two questions only: is a
 * word that stands alone a city, and does the code behind a city mean a country or a state (`Leipzig, DE`)? Cities that
 * share their name with a state (`New York`) are left out.
 */
export function cityOf(word: string): readonly string[] {
  return word.length > 40 ? [] : (byName().get(foldLetters(word)) ?? []);
}

/** As `cityOf`, with the smaller towns that are printed with the code of a canton or province: `Siena, SI`. */
export const homesOf = (word: string): readonly string[] => {
  const large = cityOf(word);
  return large.length > 0 || word.length > 40 ? large : (coded().get(foldLetters(word)) ?? []);
};

/** Towns whose canton or province has the code of some country. */
const CODED_TOWNS: Record<string, string> = {
  CH:
    'aarau,wettingen,appenzell,herisau,thun,köniz,burgdorf,langenthal,liestal,muttenz,pratteln,allschwil,bulle,' +
    'vernier,carouge,lancy,meyrin,glarus,chur,davos,st. moritz,la chaux-de-fonds,kriens,sursee,wil,rapperswil,' +
    'gossau,rorschach,schaffhausen,solothurn,olten,grenchen,schwyz,pfäffikon,freienbach,frauenfeld,kreuzlingen,arbon',
  IT:
    'alessandria,ancona,arezzo,asti,barletta,belluno,benevento,biella,brindisi,caltanissetta,catanzaro,chieti,como,' +
    'cosenza,cremona,cuneo,fermo,ferrara,foggia,gorizia,grosseto,imperia,isernia,la spezia,latina,lecce,lecco,livorno,' +
    'lodi,lucca,macerata,mantova,massa,matera,messina,monza,novara,nuoro,oristano,pavia,perugia,pesaro,pescara,' +
    'piacenza,pistoia,pordenone,potenza,prato,ragusa,ravenna,rieti,rovigo,salerno,sassari,savona,siena,siracusa,' +
    'sondrio,taranto,teramo,terni,trapani,treviso,udine,varese,vercelli,viterbo',
  BR: 'belém,macapá,cuiabá,teresina,natal,maceió,aracaju,são luís,porto velho,rio branco,uberlândia,contagem,juiz de fora,feira de santana',
};

const CITIES: Record<string, string> = {
  AE: 'dubai,abu dhabi,sharjah',
  AL: 'tirana,tiranë,durrës',
  AM: 'yerevan',
  AR: 'buenos aires,córdoba,rosario,mendoza,la plata,tucumán,mar del plata',
  AT: 'wien,vienna,graz,linz,salzburg,innsbruck,klagenfurt,villach,wels,st. pölten,dornbirn',
  AU: 'sydney,melbourne,brisbane,perth,adelaide,canberra,hobart,gold coast,darwin,geelong,wollongong',
  AZ: 'baku',
  BA: 'sarajevo,banja luka',
  BD: 'dhaka,chittagong',
  BE: 'bruxelles,brussel,brussels,brüssel,antwerpen,antwerp,gent,ghent,liège,leuven,brugge,bruges,charleroi,namur,mechelen',
  BG: 'sofia,софия,plovdiv,varna,burgas',
  BR:
    'são paulo,rio de janeiro,belo horizonte,porto alegre,curitiba,recife,fortaleza,brasília,salvador,campinas,' +
    'florianópolis,manaus,goiânia',
  CA:
    'toronto,montreal,montréal,vancouver,calgary,edmonton,ottawa,winnipeg,mississauga,halifax,kitchener,saskatoon,' +
    'regina,brampton,burnaby,markham,kelowna,moncton',
  CH:
    'zürich,zurich,genf,genève,geneva,basel,bern,berne,lausanne,luzern,lucerne,winterthur,st. gallen,zug,lugano,biel,' +
    'neuchâtel,fribourg',
  CL: 'santiago de chile,valparaíso,concepción',
  CN: 'beijing,shanghai,shenzhen,guangzhou,hangzhou,chengdu,nanjing,wuhan,suzhou,tianjin,北京,上海,深圳,广州',
  CO: 'bogotá,medellín,cali,barranquilla,cartagena,bucaramanga,pereira',
  CY: 'nicosia,limassol,larnaca',
  CZ:
    'praha,prague,prag,brno,ostrava,plzeň,liberec,olomouc,české budějovice,hradec králové,pardubice,ústí nad labem,zlín,' +
    'kladno,karlovy vary,jihlava,opava,mladá boleslav',
  DE:
    'berlin,hamburg,münchen,munich,köln,cologne,frankfurt,frankfurt am main,stuttgart,düsseldorf,leipzig,dortmund,essen,' +
    'bremen,dresden,hannover,hanover,nürnberg,nuremberg,duisburg,bochum,wuppertal,bielefeld,bonn,münster,mannheim,' +
    'karlsruhe,augsburg,wiesbaden,mönchengladbach,gelsenkirchen,aachen,braunschweig,chemnitz,kiel,halle (saale),' +
    'magdeburg,freiburg,freiburg im breisgau,krefeld,mainz,lübeck,erfurt,oberhausen,rostock,kassel,hagen,potsdam,' +
    'saarbrücken,ludwigshafen,oldenburg,osnabrück,leverkusen,heidelberg,darmstadt,regensburg,ingolstadt,würzburg,' +
    'wolfsburg,ulm,heilbronn,göttingen,pforzheim,offenbach,erlangen,jena,paderborn,walldorf,koblenz,trier,reutlingen',
  DK: 'københavn,copenhagen,kopenhagen,aarhus,århus,odense,aalborg,esbjerg',
  EE: 'tallinn,tartu',
  EG: 'cairo,giza',
  ES:
    'madrid,barcelona,valencia,sevilla,seville,zaragoza,málaga,palma de mallorca,bilbao,alicante,granada,vigo,gijón,' +
    'valladolid,donostia,san sebastián,pamplona,a coruña,vitoria-gasteiz,las palmas',
  FI: 'helsinki,espoo,tampere,turku,oulu,vantaa,jyväskylä',
  FR:
    'paris,marseille,lyon,toulouse,nice,nantes,montpellier,strasbourg,bordeaux,lille,rennes,reims,grenoble,dijon,' +
    'angers,le havre,aix-en-provence,clermont-ferrand,villeurbanne,boulogne-billancourt,rouen,nancy,metz,tours,orléans,' +
    'levallois-perret,la défense,issy-les-moulineaux,sophia antipolis,besançon,mulhouse,annecy',
  GB:
    'london,birmingham,manchester,leeds,glasgow,liverpool,sheffield,edinburgh,bristol,cardiff,belfast,leicester,' +
    'nottingham,newcastle upon tyne,coventry,bradford,southampton,portsmouth,brighton,plymouth,reading,milton keynes,' +
    'swansea,aberdeen,dundee,derby,wolverhampton,stoke-on-trent,norwich,ipswich,oxford,cambridge,york,exeter,swindon,' +
    'sunderland,preston,bournemouth,luton,peterborough,northampton,warrington,slough,guildford,chelmsford,huddersfield,' +
    'londýn,londres,londra',
  GA: 'libreville,port-gentil',
  GE: 'tbilisi,batumi,kutaisi,rustavi,poti,gori,telavi',
  GR: 'athens,athen,αθήνα,thessaloniki,θεσσαλονίκη,patras,heraklion',
  HK: 'kowloon',
  HR: 'zagreb,split,rijeka,osijek',
  HU: 'budapest,debrecen,szeged,miskolc,pécs,győr',
  ID: 'jakarta,surabaya,bandung,medan,bali,denpasar',
  IE: 'dublin,cork,limerick,galway,waterford',
  IL:
    'tel aviv,tel aviv-yafo,tel-aviv,jerusalem,haifa,herzliya,petah tikva,ramat gan,netanya,rishon lezion,beer sheva,' +
    "ra'anana,raanana,rehovot,kfar saba,hod hasharon,yokneam,holon,bnei brak,ashdod,rosh haayin",
  IN:
    'mumbai,delhi,new delhi,bangalore,bengaluru,hyderabad,chennai,kolkata,pune,ahmedabad,gurgaon,gurugram,noida,jaipur,' +
    'lucknow,kochi,indore,nagpur,chandigarh,coimbatore,mohali,thane,navi mumbai,surat,vadodara,bhubaneswar,mysore,' +
    'mysuru,visakhapatnam,trivandrum,thiruvananthapuram,faridabad,ghaziabad,greater noida,secunderabad,bhopal,patna',
  IS: 'reykjavik,reykjavík',
  IT:
    'roma,rome,milano,milan,mailand,napoli,naples,torino,turin,palermo,genova,genoa,bologna,firenze,florence,bari,' +
    'catania,venezia,verona,padova,trieste,brescia,parma,modena,bergamo,bolzano,trento,cagliari,pisa,vicenza',
  JP: 'tokyo,osaka,yokohama,nagoya,kyoto,fukuoka,sapporo,kobe,東京,大阪,京都,横浜,名古屋,福岡',
  KE: 'nairobi,mombasa',
  KR: 'seoul,busan,incheon,서울,부산',
  LA: 'vientiane',
  LT: 'vilnius,kaunas,klaipėda',
  LV: 'riga,rīga',
  MA: 'casablanca,rabat,marrakech,tangier',
  MD: 'chisinau,chișinău,kishinev,tiraspol,bălți',
  ME: 'podgorica',
  MN: 'ulaanbaatar,ulan bator',
  MT: 'valletta,sliema,birkirkara',
  MX: 'mexico city,ciudad de méxico,cdmx,guadalajara,monterrey,puebla,tijuana,querétaro',
  MY: 'kuala lumpur,petaling jaya,george town',
  NC: 'nouméa',
  NE: 'niamey',
  NG: 'lagos,abuja',
  NL:
    'amsterdam,rotterdam,den haag,the hague,utrecht,eindhoven,groningen,tilburg,almere,breda,nijmegen,haarlem,arnhem,' +
    "enschede,amersfoort,apeldoorn,'s-hertogenbosch,den bosch,maastricht,leiden,delft,hoofddorp,zwolle,zoetermeer," +
    'dordrecht,hilversum,schiphol,veldhoven',
  NO: 'oslo,bergen,trondheim,stavanger,tromsø,drammen',
  NZ: 'auckland,wellington,christchurch,dunedin',
  PA: 'panama city,ciudad de panamá',
  PE: 'lima,arequipa,trujillo',
  PH: 'manila,quezon city,makati,cebu city,taguig',
  PK: 'karachi,lahore,islamabad,rawalpindi',
  PL:
    'warszawa,warsaw,warschau,varšava,kraków,krakow,cracow,łódź,wrocław,poznań,gdańsk,szczecin,katowice,lublin,gdynia,' +
    'bydgoszcz,białystok,rzeszów,gliwice,toruń',
  PT: 'lisboa,lisbon,lissabon,lisbonne,porto,braga,coimbra,aveiro,faro,setúbal,vila nova de gaia',
  RO: 'bucurești,bucharest,bukarest,cluj-napoca,timișoara,iași,brașov,sibiu,oradea',
  RS: 'belgrade,beograd,novi sad,niš',
  RU: 'moscow,москва,moskau,saint petersburg,st. petersburg,санкт-петербург,novosibirsk,kazan',
  SA: 'riyadh,jeddah,dammam',
  SD: 'khartoum,omdurman',
  SE: 'stockholm,göteborg,gothenburg,malmö,uppsala,linköping,västerås,örebro,helsingborg,norrköping,jönköping,lund,umeå',
  SI: 'ljubljana,maribor',
  SK: 'bratislava,košice,prešov,žilina,nitra,banská bystrica,trnava,trenčín',
  TH: 'bangkok,chiang mai',
  TN: 'tunis,sfax',
  TR: 'istanbul,ankara,izmir,bursa,antalya',
  TW: 'taipei,kaohsiung,taichung,hsinchu',
  UA: 'kyiv,kiev,київ,lviv,kharkiv,odesa,odessa,dnipro',
  US:
    'new york city,los angeles,chicago,houston,phoenix,philadelphia,san antonio,san diego,dallas,san jose,austin,' +
    'san francisco,seattle,denver,boston,atlanta,miami,minneapolis,detroit,las vegas,charlotte,indianapolis,' +
    'fort worth,baltimore,milwaukee,albuquerque,sacramento,kansas city,oklahoma city,cleveland,pittsburgh,cincinnati,' +
    'st. louis,saint louis,orlando,tampa,salt lake city,palo alto,mountain view,menlo park,san mateo,honolulu,' +
    'nashville,new orleans,brooklyn,panama city,sunnyvale,cupertino,redmond',
  VN: 'hanoi,ho chi minh city,da nang',
  ZA: 'johannesburg,cape town,durban,pretoria,sandton',
};

let names: ReadonlyMap<string, readonly string[]> | null = null;

function byName(): ReadonlyMap<string, readonly string[]> {
  names ??= index(CITIES);
  return names;
}

let codedTowns: ReadonlyMap<string, readonly string[]> | null = null;

function coded(): ReadonlyMap<string, readonly string[]> {
  codedTowns ??= index(CODED_TOWNS);
  return codedTowns;
}

function index(lists: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [country, list] of Object.entries(lists)) {
    for (const name of list.split(',')) {
      const key = foldLetters(name);
      found.set(key, [...(found.get(key) ?? []), country]);
    }
  }
  return found;
}
