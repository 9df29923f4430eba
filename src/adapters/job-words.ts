import { foldLetters } from '../domain/normalize/text.js';

/**
 * Words that stand on job pages everywhere and say nothing of the job itself. All are compared without case and marks:
 * `folded` text has neither any more.
 */

const words = (...lists: string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split(',')).map((word) => foldLetters(word)));

// What a form prints when the field was left open.
const NOT_SAID = words(
  'n/a,na,n.a.,none,not specified,not stated,not available,not disclosed,not provided,not applicable,unspecified,undisclosed,' +
    'unknown,confidential,company confidential,private,private advertiser,anonymous,tbd,tba,to be determined,see description,' +
    'see below,see job description,various,open,any,other,click here,view map,map,apply now,login to view,nicht angegeben,' +
    'keine angabe,k.a.,anonym,vertraulich,non précisé,non communiqué,confidentiel,no especificado,confidencial,' +
    'non specificato,riservato,não informado,a combinar,neuvedeno,neuvedena,nezadáno,neuvedené,nie podano,ukryte,ej angivet,' +
    'ikke oplyst,ikke oppgitt,niet opgegeven,onbekend,nincs megadva',
);

/** `N/A`, `Not specified`, `Confidential`: a value that is none. */
export const isNotSaid = (text: string): boolean => NOT_SAID.has(foldLetters(text).replace(/[.!…]+$/, ''));

const WITHHELD = words(
  'confidential,withheld,undisclosed,anonymous,confidentiel,confidentielle,anonyme,confidencial,riservato,riservata,riservatezza,vertraulich,' +
    'anonym,anonymní,vertrouwelijk,anoniem,poufne,ukryty,konfidentiell,konfidentielt,fortroligt',
);
const WITHHELD_BESIDE = words(
  'company,employer,client,name,our,the,a,is,advertiser,recruiter,organization,organisation,kept,listing,job,search,entreprise,société,' +
    'client,nom,empresa,azienda,firma,unternehmen,arbeitgeber,společnost,bedrijf,företag,virksomhed',
);

/** `Employer name withheld (Confidential)`, `Entreprise confidentielle`: whoever it is does not want to be named. */
export function isWithheld(text: string): boolean {
  if (text.length > 60) return false;
  const all = foldLetters(text)
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
  return all.some((word) => WITHHELD.has(word)) && all.every((word) => WITHHELD.has(word) || WITHHELD_BESIDE.has(word));
}

// How one is employed, never what as.
const TERMS =
  /^(?:full[- ]?time|part[- ]?time|permanent|temporary|temp|contract|contractor|freelance|internship|apprenticeship|seasonal|employee|vollzeit|teilzeit|festanstellung|unbefristet|befristet|cdi|cdd|temps (?:plein|partiel)|tiempo completo|jornada completa|tempo (?:pieno|indeterminato|integral)|plny uvazek|full|remote|hybrid|home ?office)\b/;

export const isTerms = (text: string): boolean => TERMS.test(foldLetters(text));

// Headings of parts of a page, not names of jobs.
const PARTS = words(
  'job overview,overview,job description,job summary,summary,job details,details,job detail,job information,job info,' +
    'position details,position information,position description,description,careers,career,jobs,job,job search,search jobs,' +
    'find jobs,find a job,job listing,job listings,job posting,job view,view job,vacancies,vacancy,vacancy details,current vacancies,' +
    'current openings,open positions,job openings,join us,work with us,contact,contact us,contact information,company overview,' +
    'about us,about the company,company profile,apply,apply now,apply online,home,homepage,home page,welcome,menu,search,sign in,log in,login,register,' +
    'requirements,job requirements,benefits,responsibilities,qualifications,stellenangebot,stellenangebote,stellenanzeige,jobs und karriere,' +
    'karriere,jobangebot,jobangebote,offre d’emploi,offres d’emploi,recrutement,oferta de empleo,ofertas de empleo,' +
    'offerta di lavoro,offerte di lavoro,lavora con noi,vaga,vagas,vacature,vacatures,nabídka práce,nabídky práce,volná místa,kariéra,' +
    'pracovní nabídka,ponuka práce,ponuky práce,oferta pracy,oferty pracy,lediga jobb,ledige stillinger,avoimet työpaikat,állások',
);

/** `Job Overview`, `Careers`, `Apply now`: a heading that no job is called by. */
export const isPartName = (text: string): boolean => PARTS.has(foldLetters(text).replace(/[:.!…»>\s]+$/, ''));

const SIMILAR =
  /^(?:(?:view|see|show|browse|find)\s)?(?:all\s)?(?:similar|related|other|more|recommended|recent|recently|latest|featured|suggested|popular|top|new|newest|nearby)\s(?:\S+\s){0,2}(?:jobs?|positions|vacancies|openings|opportunities|roles|offers|searches|listings)\b|^(?:\S+\s){0,2}jobs?\s(?:you|we|for you|that|like this|near)\b|^people (?:also|who)|^(?:ahnliche|weitere|passende|neueste|andere)\s(?:\S+\s){0,2}(?:jobs?|stellen\S*|anzeigen|positionen)|^(?:autres |nos )?(?:offres|emplois|annonces)\s(?:\S+\s){0,2}similaires|^autres offres|^(?:otras\s)?(?:ofertas|empleos|vacantes|puestos)\s(?:\S+\s){0,2}(?:similares|relacionad[ao]s)|^otras ofertas|^(?:offerte|annunci|posizioni)\s(?:\S+\s){0,2}simili|^altre offerte|^(?:outras\s)?vagas\s(?:\S+\s){0,2}(?:semelhantes|similares|relacionadas)|^(?:vergelijkbare|soortgelijke|andere|meer|gerelateerde)\s(?:\S+\s){0,1}vacatures|^(?:podobne|dalsi|souvisejici|obdobne)\s(?:\S+\s){0,2}(?:nabidky|pozice|prace|inzeraty|mista)|^(?:podobne|dalsie)\s(?:\S+\s){0,2}(?:ponuky|pozicie)|^(?:podobne|inne|powiazane)\s(?:\S+\s){0,2}(?:oferty|ogloszenia|prace)|^(?:liknande|fler|andra)\s(?:\S+\s){0,1}(?:jobb|tjanster|annonser)|^(?:lignende|flere|andre)\s(?:\S+\s){0,1}(?:job|jobs|jobb|stillinger|jobannoncer)|^(?:samankaltais|muita|lisaa)\S*\s(?:\S+\s){0,1}(?:tyo|avoim)|^hasonlo\s|^tovabbi\s(?:\S+\s){0,1}allas/;

/** The heading of a list of other jobs beside this one. */
export const isSimilarJobs = (folded: string): boolean => folded.length <= 70 && SIMILAR.test(folded);

const DESCRIPTIONS = words(
  'job description,description,full description,full job description,about the job,about this job,about the role,about this role,' +
    'the role,the job,role description,position description,position summary,vacancy description,job advert,' +
    'about the position,about this position,description of position,job duties,duties,' +
    'responsibilities,job responsibilities,duties and responsibilities,key responsibilities,your role,what you’ll do,what you will do,' +
    'stellenbeschreibung,jobbeschreibung,beschreibung,aufgaben,ihre aufgaben,deine aufgaben,das erwartet sie,das erwartet dich,' +
    'tätigkeitsbeschreibung,aufgabengebiet,description du poste,descriptif du poste,descriptif,le poste,missions,vos missions,' +
    'description de l’offre,description de l’emploi,descripción,descripción del puesto,descripción de la oferta,descripción del empleo,' +
    'funciones,descrizione,descrizione della posizione,descrizione del lavoro,descrizione offerta,descrição,descrição da vaga,' +
    'descrição do cargo,functieomschrijving,omschrijving,vacatureomschrijving,de functie,vacaturetekst,popis,popis pozice,popis práce,' +
    'náplň práce,pracovní náplň,pracovní nabídka,popis pracovní pozice,popis pracovního místa,popis pozície,informácie o pracovnom mieste,' +
    'opis stanowiska,opis stanowiska pracy,opis,zakres obowiązków,twój zakres obowiązków,obowiązki,arbetsuppgifter,beskrivning,om jobbet,' +
    'om tjänsten,om rollen,jobbeskrivelse,arbejdsopgaver,om stillingen,arbeidsoppgaver,beskrivelse,stillingsbeskrivelse,kuvaus,' +
    'työtehtävä,työn kuvaus,tehtävän kuvaus,munkaköri leírás,feladatok,leírás,álláshirdetés leírása',
);

// They stand above tables just as often.
const OVERVIEWS = words(
  'job summary,summary,job details,details,position overview,role overview,job overview,overview',
);

export const isOverviewHeading = (folded: string): boolean => OVERVIEWS.has(folded.replace(/[:.…\s]+$/, ''));

/** The heading of the text that says what the job is. */
export const isDescriptionHeading = (folded: string): boolean =>
  folded.length <= 60 && isDescriptionName(folded.replace(/[:.…\s]+$/, ''));

/** `Duties and skills`: the first says what it is. */
function isDescriptionName(name: string): boolean {
  if (DESCRIPTIONS.has(name)) return true;
  const [first = '', ...rest] = name.split(/\s(?:and|und|et|y|och|og|en|oraz)\s|\s?[&+/]\s?|,\s/, 4);
  return rest.length > 0 && rest.length < 3 && DESCRIPTIONS.has(first) && rest.every((part) => part.length <= 25);
}

const AFTERWORD =
  /^(?:(?:job|company|employer) tools|contact\b|share\b|tell a friend|e-?mail (?:this|to)|print\b|apply\b|how to apply|save (?:this )?job|report (?:this )?(?:job|ad)|ads by|advertis|sponsored|sign in|log ?in|register|subscribe|get (?:new )?(?:job|email|jobs)|job alerts?|company (?:overview|profile|information|info)|about the (?:company|employer)|posted\b|date posted|reference|job (?:id|code|number)|jetzt bewerben|bewerben|kontakt|ansprechpartner|teilen|drucken|postuler|partager|solicitar|inscribirse|compartir|candidati|condividi|candidatar|solliciteer|delen|odpovedet|kontaktni|informace o pozici|odporuc|aplikuj|udostepnij|ansok|dela\b|sog stillingen|hae (?:tyopaikkaa|paikkaa)|jelentkez)/;

/** Where the text about the job has ended: tools, forms, other parts of the page. */
export const isAfterword = (folded: string): boolean => folded.length <= 60 && AFTERWORD.test(folded);

const LIST =
  /^\d[\d., ]{0,9}\+? (?:\S+ ){0,4}(?:jobs?|vacancies|positions|results|stellen\S*|treffer|offres?|emplois?|ofertas?|empleos?|offerte|vagas|vacatures|nabid\S*|ponuk\S*|ofert\S*|jobb|stillinger|tyopaik\S*|allas\S*)\b|\b(?:jobs|vacancies|openings|stellenangebote|stellenanzeigen|offene stellen|offres d['’]emploi|emplois|empleos|vagas|avoimet tyopaikat|volna mista|volne pracovni pozice|allasok|allasajanlatok|ofertas de (?:empleo|trabajo)|offerte di lavoro|vacatures|nabidky prace|ponuky prace|oferty pracy|lediga jobb|ledige stillinger)(?: (?:in|near|at|for|as|with|bei|als|fur|a|chez|pour|de|en|para|em|per|v|ve|na|w|i|som|hos|til|bij|voor|su|da)\b.*)?$|^(?:stellenangebote|offres d['’]emploi|ofertas de (?:empleo|trabajo)|offerte di lavoro|vagas|vacatures|nabidky prace|ponuky prace|oferty pracy|lediga jobb|ledige (?:stillinger|jobs?)|avoimet tyopaikat) /;

/** `214 jobs in Leeds`, `Baker vacancies`: the heading of many. */
export const isListHeading = (folded: string): boolean => folded.length <= 100 && LIST.test(folded);

const APPLY =
  /^(?:(?:quick|easy|click here to|how to) )?apply\b|\bapply (?:now|online|for|by|to)\b|\b(?:bewerben|bewerbung|postuler|candidat\S*|inscribirse|aplicar|solicitar|solliciteer\S*|solliciteren|odpovedet|reagovat|aplikuj|aplikovat|ansok|ansok\S*|sok (?:stillingen|jobben)|hae (?:tyo|paik)\S*|jelentkez\S*)\b/;

/** Somebody may apply here. */
export const isApply = (folded: string): boolean => folded.length <= 60 && APPLY.test(folded);

const ADDRESS =
  /(?:^|[^a-z])(?:jobs?|careers?|vacanc(?:y|ies)|positions?|openings?|postings?|requisitions?|stellen\w*|karriere|emplois?|offres?-emploi|empleos?|trabajo|lavoro|vagas?|vacatures?|prace|praca|kariera|stillinger|jobb|tyopaikat|allas\w*)(?:[^a-z]|$)/i;

const FOR_ALL = /[([]\s?[mwfdxhk](?:\s?[/|]\s?(?:[mwfdxhki]|gn|div)){1,3}\s?[)\]]/i;

/** `Vacancy: Baker`, `Bäcker (m/w/d)`: words of a title that only advertisements have. */
export const isAboutWork = (text: string): boolean => {
  const folded = foldLetters(text.slice(0, 300));
  return FOR_ALL.test(folded) || ADDRESS.test(folded) || HIRING.test(folded);
};

const HIRING = /\b(?:hiring|job opening|employment|recruit\w{0,6}|sucht|offre d'emploi|recrute|oferta de empleo)\b/;

const TAIL = /\s+[-–—|:]\s+(?:job|job post|job posting|job details?|job description|vacancy|stellenangebot|new|neu)$/i;

/** `Baker - job post`: some say behind the title, often only to those who cannot see the page, what it is the title of. */
export const withoutTail = (title: string): string => title.replace(TAIL, '');

/** Does a page's address say that it is about work? */
export const isJobAddress = (url: string): boolean =>
  ADDRESS.test(url.slice(0, 500)) || JOB_HOST.test(url.slice(0, 100));

const JOB_HOST = /^https?:\/\/[^/]{0,60}(?:job|career|karriere|stellen|emploi|empleo|recruit|vacanc|hiring)/i;
