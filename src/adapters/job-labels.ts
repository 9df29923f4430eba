import { foldLetters } from '../domain/normalize/text.js';

/** What job advertisements call their fields, in the languages boards are written in. */
export type JobLabel = 'title' | 'company' | 'location' | 'city' | 'state' | 'country' | 'salary' | 'contact';

/** `strong` names mean nothing else; a `weak` one is also used for other things. */
interface Names {
  strong: string;
  weak: string;
}

const NAMES: Record<JobLabel, Names> = {
  title: {
    strong:
      'job title,position title,title of position,title of job,job position,job name,role title,vacancy title,posting title,' +
      'advertised job title,job posting title,stellenbezeichnung,stellentitel,berufsbezeichnung,jobtitel,jobbezeichnung,' +
      'positionsbezeichnung,intitulé du poste,titre du poste,intitulé de poste,nombre del puesto,título del puesto,' +
      'puesto de trabajo,titolo della posizione,posizione lavorativa,título da vaga,nome da vaga,functietitel,functienaam,' +
      'název pozice,pracovní pozice,název místa,názov pozície,pracovná pozícia,nazwa stanowiska,stanowisko pracy,' +
      'stillingstittel,stillingsbetegnelse,stillingstitel,tehtävänimike,ammattinimike,yrkesbenämning,denumire post,' +
      'munkakör megnevezése,pozíció megnevezése',
    weak:
      'title,position,job,opening,vacancy,designation,post,stelle,poste,puesto,cargo,vacante,posizione,mansione,vaga,' +
      'functie,vacature,pozice,pozícia,stanowisko,tjänst,befattning,yrkesroll,stilling,tehtävä,munkakör,pozíció',
  },
  company: {
    strong:
      'company,company name,employer,employer name,name of employer,name of company,hiring company,hiring organization,' +
      'hiring organisation,organization,organisation,organization name,organisation name,employing organisation,' +
      'arbeitgeber,firma,unternehmen,firmenname,unternehmensname,entreprise,société,employeur,nom de l’entreprise,' +
      'nom de la société,empresa,compañía,empleador,nombre de la empresa,azienda,società,datore di lavoro,nome azienda,' +
      'empregador,nome da empresa,bedrijf,werkgever,bedrijfsnaam,organisatie,společnost,zaměstnavatel,název společnosti,' +
      'název firmy,název zaměstnavatele,spoločnosť,zamestnávateľ,názov spoločnosti,pracodawca,nazwa firmy,företag,' +
      'arbetsgivare,företagsnamn,virksomhed,arbejdsgiver,arbeidsgiver,bedrift,selskap,työnantaja,yritys,cég,cégnév,' +
      'hiring employer,company/employer,employer/company,facility,facility name,council,institution,university,' +
      'school district,business name,practice name,client company,hiring agency,' +
      'munkáltató,companie,angajator,poslodavac,tvrtka,delodajalec,podjetje,işveren,şirket',
    weak:
      'advertiser,posted by,recruiter,recruitment agency,agency,hiring firm,practice,department/agency,agency name,recruiting agency,client,business,hospital,school,college,personalberater,anbieter,recruteur,' +
      'anunciante,inserzionista,zadavatel',
  },
  location: {
    strong:
      'location,locations,platser,orter,standorte,arbeitsorte,lieux,ubicaciones,sedi,locaties,lokality,lokalizacje,arbeidssteder,' +
      'job location,job locations,work location,position location,location of job,place of work,' +
      'workplace,place of employment,duty station,office location,job site,worksite,primary location,based in,' +
      'arbeitsort,einsatzort,standort,dienstort,arbeitsstätte,ort,lieu de travail,lieu,localisation,localité,' +
      'lieu du poste,lieu de mission,ubicación,lugar de trabajo,localidad,lugar,población,sede di lavoro,sede,' +
      'luogo di lavoro,luogo,località,zona di lavoro,local de trabalho,localização,localidade,local,locatie,standplaats,' +
      'plaats,werklocatie,werkplek,vestiging,místo pracoviště,místo výkonu práce,místo práce,lokalita,adresa pracoviště,' +
      'pracoviště,miesto práce,miesto výkonu práce,pracovisko,lokalizacja,miejsce pracy,miejscowość,arbetsort,plats,' +
      'placering,placeringsort,arbejdssted,lokation,arbeidssted,lokasjon,sted,sijainti,paikkakunta,työpaikan sijainti,' +
      'työskentelypaikka,munkavégzés helye,helyszín,munkahely,locație,locul de muncă,mjesto rada,kraj dela,çalışma yeri',
    weak: 'place,where,area,site,region,office',
  },
  city: {
    strong:
      'city,town,job city,city/town,town/city,stadt,ville,ciudad,città,cidade,stad,město,obec,mesto,miasto,kaupunki,város,oraș,' +
      'municipality,kommun,kommune,gemeinde,commune,comune,municipio,município,gemeente,gmina,kunta,občina,općina,település',
    weak: '',
  },
  state: {
    strong:
      'state,province,state/province,province/state,job state,bundesland,provincia,estado,provincie,kraj,województwo',
    weak: '',
  },
  country: {
    strong: 'country,job country,land,pays,país,paese,stát,krajina,ország,maa,țară',
    weak: '',
  },
  salary: {
    strong:
      'salary,base salary,base pay,pay,pay rate,pay range,salary range,annual salary,salary/rate,salary rate,hourly rate,' +
      'day rate,daily rate,hourly pay,hourly wage,wage,wages,wage range,remuneration,salary offered,offered salary,' +
      'starting salary,starting pay,compensation,compensation range,base compensation,salary band,pay scale,salary scale,' +
      'salary per annum,salary description,salary details,salary package,salary/compensation,pay/salary,estimated pay,' +
      'estimated salary,gehalt,vergütung,lohn,verdienst,bruttogehalt,jahresgehalt,monatsgehalt,entgelt,bezahlung,' +
      'gehaltsspanne,jahresbruttogehalt,salaire,rémunération,salaire annuel,salaire mensuel,salaire brut,salario,sueldo,' +
      'remuneración,retribución,salario bruto,stipendio,retribuzione,ral,compenso,retribuzione annua,salário,remuneração,' +
      'vencimento,faixa salarial,salaris,loon,salarisindicatie,brutosalaris,mzda,plat,mzdové ohodnocení,nabízená mzda,' +
      'platové ohodnocení,finanční ohodnocení,hrubá mzda,nástupní mzda,mzdové podmienky,ponúkaný plat,základná zložka mzdy,' +
      'wynagrodzenie,zarobki,pensja,stawka,lön,månadslön,løn,månedsløn,lønn,årslønn,palkka,fizetés,bér,bruttó bér,' +
      'bruttó fizetés,salariu,plaća,plača,maaş',
    weak: 'rate,package,stipend,earnings,benefits and pay',
  },
  contact: {
    strong: 'contact information,contact info,contact details,company information,company info,company details',
    weak: '',
  },
};

interface Known {
  field: JobLabel;
  isStrong: boolean;
}

const KNOWN: ReadonlyMap<string, Known> = new Map(
  (Object.keys(NAMES) as JobLabel[]).flatMap((field) => [
    ...names(NAMES[field].weak).map((name): [string, Known] => [name, { field, isStrong: false }]),
    ...names(NAMES[field].strong).map((name): [string, Known] => [name, { field, isStrong: true }]),
  ]),
);

function names(list: string): string[] {
  return list.split(',').filter(Boolean).map(nameKey);
}

/** Which field a label names, if any. What stands in brackets behind it only says more about it. */
export const knownLabel = (label: string): Known | undefined => KNOWN.get(nameKey(label));

function nameKey(label: string): string {
  const name = foldLetters(label);
  // Nearly every label is nothing but its name.
  if (/^[a-z][a-z ]*[a-z]$/.test(name)) return name;
  return name
    .replace(/\s?\([^()]*\)$/, '')
    .replace(/[*.]+$/, '')
    .trim();
}
