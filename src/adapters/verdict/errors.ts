import { headline, isHeaded } from './headline.js';
import type { PageFace } from './page-face.js';
import type { Clue } from './vendors.js';

/** Faults of the site that come with a status of success. */
export const ERROR_CLUES: readonly Clue[] = [
  { sign: 'php_error', shows: (face) => face.length < 2_500 && face.says(PHP_FATAL) },
  { sign: 'database_error', shows: (face) => face.length < 1_500 && face.says(DATABASE) },
  { sign: 'stack_trace', shows: isTrace },
  { sign: 'not_found_page', shows: (face) => isHeaded(face, NOT_FOUND, { title: 1_500, heading: 700 }) },
  {
    sign: 'server_error',
    shows: (face) =>
      isHeaded(face, SERVER_ERROR, { title: 1_500, heading: 500 }) || (face.length < 600 && face.says(SERVER_SAYS)),
  },
  {
    sign: 'maintenance',
    shows: (face) =>
      isHeaded(face, MAINTENANCE, { title: 800, heading: 500 }) || (face.length < 400 && face.says(MAINTENANCE_SAYS)),
  },
  { sign: 'parked_domain', shows: isParked },
  {
    sign: 'default_page',
    shows: (face) =>
      DEFAULT_TITLES.test(face.title) || (face.length < 300 && /^it works\b/.test(face.headings[0]?.words ?? '')),
  },
];

const PHP_FATAL =
  /\b(?:fatal|parse|catchable fatal|recoverable fatal) error ?: .{1,1000} on line \d|uncaught (?:error|exception|typeerror|pdoexception)\b.{1,1000} stack trace:/;

const DATABASE = new RegExp(
  [
    'error establishing a database connection',
    'fehler beim aufbau einer datenbank-?verbindung',
    'erreur lors de la connexion à la base de données',
    'error al establecer (?:la|una) conexión con la base de datos',
    'errore nello stabilire una connessione al database',
    'fout bij het maken van een databaseverbinding',
    'sqlstate\\[\\w+\\]',
    "can't connect to (?:local )?mysql server",
    'mysql(?:i)?_connect\\(\\)',
    '(?:unable|could not|cannot|failed) to connect to (?:the )?(?:database|mysql)',
    'database (?:connection )?error(?: occurred)?$',
    'microsoft ole db provider for',
    'too many connections',
    '\\bora-\\d{5}:',
  ].join('|'),
);

/** A report fills pages, so its length says nothing; that it is a report is said at the top. */
function isTrace(face: PageFace): boolean {
  return (
    TRACE_TITLES.test(face.title) ||
    TRACE_TITLES.test(face.headings[0]?.words ?? '') ||
    TRACE_OPENINGS.test(face.opening) ||
    (/ at /.test(face.title) && face.holds('you have <code>DEBUG = True</code>', 'id="pastebinTraceback"')) ||
    (face.length < 2_500 && /(?:\bat [\w$.<>]{1,200}\([\w$]{1,100}\.java:\d+\) ?){2}/.test(face.said))
  );
}

const TRACE_TITLES =
  /^server error in .{0,60} application\b|^action controller exception caught|werkzeug debugger$|^(?:whoops there was an error|symfony exception|error occurred while processing request|index out of range exception)|\(500 internal server error\)$|^http status 500\b/;

const TRACE_OPENINGS =
  /^(?:[a-z]{1,60} )?(?:traceback \(most recent call last\):|exception in thread "|server error in '[^']{0,100}' application|(?:[a-z_$][\w$]{0,80}\.){2,8}[a-z]{0,60}(?:exception|error): .{0,200}\bat |(?:type|reference|syntax|range)error: .{1,200} at .{1,100}:\d+:\d+)/;

const NOT_FOUND = headline({
  long: `
    page not found | page is not found | page was not found | page cannot be found | page can't be found
    page could not be found | page couldn't be found | page you are looking for could not be found
    page you are looking for cannot be found | page you were looking for could not be found
    page you are looking for doesn't exist | page you were looking for doesn't exist | page you are looking for does not exist
    page does not exist | page doesn't exist | page no longer exists | page is not available | page isn't available
    page not available | page you requested was not found | page you requested could not be found
    we can't find page | we couldn't find page | we can't find page you're looking for | we could not find page
    we couldn't find page you were looking for | we can't seem to find page you're looking for | nothing was found here
    file not found | file or directory not found | object not found | resource not found | url was not found on server
    url not found | content not found | job not found | listing not found | profile not found | product not found
    job is no longer available | job has expired | job posting not found | company not found
    seite nicht gefunden | seite wurde nicht gefunden | diese seite wurde nicht gefunden | die seite wurde nicht gefunden
    seite konnte nicht gefunden werden | die seite konnte nicht gefunden werden | seite existiert nicht
    diese seite existiert nicht | seite nicht vorhanden | page introuvable | page non trouvée | cette page n'existe pas
    la page demandée n'existe pas | page inexistante | cette page est introuvable | página no encontrada
    no se encuentra la página | no se ha encontrado la página | la página no existe | esta página no existe
    página não encontrada | pagina não encontrada | a página não existe | pagina non trovata | pagina inesistente
    la pagina non esiste | pagina niet gevonden | deze pagina bestaat niet | deze pagina is niet gevonden
    sidan hittades inte | sidan kunde inte hittas | sidan finns inte | siden ble ikke funnet | fant ikke siden
    siden finnes ikke | siden blev ikke fundet | siden findes ikke | siden kunne ikke findes | sivua ei löytynyt
    sivua ei löydy | strona nie została znaleziona | nie znaleziono strony | strona nie istnieje | stránka nenalezena
    stránka nebyla nalezena | stránka neexistuje | stránka sa nenašla | stránka nebola nájdená | az oldal nem található
    pagina nu a fost găsită | страница не найдена | страница не существует | сторінку не знайдено | sayfa bulunamadı
    η σελίδα δεν βρέθηκε | ページが見つかりません | ページが見つかりませんでした | お探しのページは見つかりませんでした
    页面未找到 | 找不到页面 | 页面不存在 | 找不到頁面 | 페이지를 찾을 수 없습니다 | الصفحة غير موجودة | הדף לא נמצא`,
  short: 'not found | nicht gefunden | introuvable | no encontrado | non trovato | niet gevonden',
  statuses: '404 410',
});

const SERVER_ERROR = headline({
  long: `
    internal server error | bad gateway | gateway timeout | gateway time out | service unavailable
    service temporarily unavailable | temporarily unavailable | site temporarily unavailable | web server is down
    connection timed out | origin is unreachable | web server is returning an unknown | invalid ssl certificate
    origin dns | dns resolution | worker threw exception | ssl handshake failed | a timeout occurred
    server error | application error | whitelabel page | runtime error | unhandled exception | unexpected error
    an error occurred | an error has occurred | something went wrong | something has gone wrong | unexpected application error
    we're sorry but something went wrong | there has been a critical on website | there was an error processing request
    there has been an error processing request | website is currently unavailable | request could not be satisfied
    wordpress error | interner serverfehler | interner server fehler | serverfehler | es ist ein fehler aufgetreten
    ein fehler ist aufgetreten | etwas ist schiefgelaufen | etwas ist schief gelaufen | dienst nicht verfügbar
    erreur interne du serveur | erreur serveur | une erreur est survenue | une erreur s'est produite
    service indisponible | service temporairement indisponible | error interno del servidor | error del servidor
    se ha producido un error | ha ocurrido un error | algo salió mal | servicio no disponible
    errore interno del server | si è verificato un errore | qualcosa è andato storto | servizio non disponibile
    erro interno do servidor | ocorreu um erro | algo deu errado | interne serverfout | er is een fout opgetreden
    er ging iets mis | er is iets misgegaan | wystąpił błąd | błąd serwera | wewnętrzny błąd serwera | coś poszło nie tak
    došlo k chybě | interní chyba serveru | něco se pokazilo | internt serverfel | något gick fel | noe gikk galt
    noget gik galt | jokin meni pieleen | внутренняя ошибка сервера | ошибка сервера | произошла ошибка | что то пошло не так`,
  short: 'error',
  statuses: '500 502 503 504 520 521 522 523 524 525 526 530',
});

const SERVER_SAYS = new RegExp(
  [
    'the website encountered an unexpected error\\. (?:please )?try again later',
    'there has been a critical error on (?:this|your) website',
    'es gab einen kritischen fehler auf (?:deiner|ihrer|dieser) website',
    'il y a eu une erreur critique sur (?:ce|votre) site',
    'ha habido un error crítico en (?:esta|tu) web',
    'si è verificato un errore critico sul tuo sito',
    'an error occurred in the application and your page could not be served',
    'this page contains the following errors: error on line',
    "this page isn't working",
    'upstream connect error or disconnect/reset before headers',
    '^no healthy upstream$',
    '^error code: 5\\d\\d$',
    'there has been an error processing your request exception printing is disabled',
    'application error: a (?:client|server)-side exception has occurred',
  ].join('|'),
);

const MAINTENANCE = headline({
  long: `
    under maintenance | site is under maintenance | we are under maintenance | we're under maintenance
    site under maintenance | website under maintenance | website is under maintenance | maintenance mode
    down for maintenance | site down for maintenance | we're down for maintenance | we are down for maintenance
    site is down for maintenance | closed for maintenance | undergoing maintenance | undergoing scheduled maintenance
    currently undergoing maintenance | we'll be back soon | we will be back soon | be right back | we'll be right back
    wartungsmodus | im wartungsmodus | website im wartungsmodus | wir sind bald zurück | wir sind gleich zurück
    wartungsarbeiten am server | site en maintenance | en maintenance | maintenance en cours | site en cours de maintenance
    mode maintenance | en mantenimiento | sitio en mantenimiento | modo mantenimiento | modo de mantenimiento
    in manutenzione | sito in manutenzione | em manutenção | site em manutenção | in onderhoud | onderhoudsmodus
    website in onderhoud | underhåll pågår | under vedlikehold | under vedligeholdelse | przerwa techniczna
    prace konserwacyjne | strona w konserwacji | probíhá údržba | údržba stránek | технические работы
    сайт на обслуживании | ведутся технические работы | bakım modu | bakım çalışması | メンテナンス中 | 维护中 | 网站维护中`,
});

const MAINTENANCE_SAYS =
  /briefly unavailable for scheduled maintenance|(?:down|closed|offline|unavailable) (?:for|due to|because of) (?:scheduled |planned |routine |essential )?maintenance|(?:undergoing|performing) (?:some |scheduled |planned |routine )?maintenance|wegen wartungsarbeiten|kurzzeitig nicht verfügbar/;

/** Marks of those who park domains, and the offer in the title. */
function isParked(face: PageFace): boolean {
  if (face.length > 1_500) return false;
  if (/\b[\w-]{1,63}\.[a-z]{2,10} (?:is|may be) for sale\b/i.test(face.reader.title ?? '')) return true;
  return face.holds(...PARKING) || face.says(PARKED_SAYS);
}

const PARKING = [
  'sedoparking.com',
  'parkingcrew.net',
  'bodis.com/',
  'parklogic.com',
  'window.park = "',
  'data-adblockkey="',
];
const PARKED_SAYS =
  /(?:domain (?:name )?(?:is|may be) for sale|buy this domain|this (?:web ?page|domain) is parked|parked free, courtesy of|diese domain steht zum verkauf|ce domaine est à vendre|este dominio está en venta|questo dominio è in vendita)/;

const DEFAULT_TITLES =
  /^(?:welcome to (?:nginx|openresty|centos)|apache2 (?:ubuntu|debian) default page|test page for the (?:apache|nginx|http)|iis windows(?: server)?$|iis7|default web site page|default plesk page|domain default page|web server's default page|account suspended|this account has been suspended|website (?:has been )?suspended|site not found(?: dreamhost)?$|http server test page|future home of something quite cool)/;
