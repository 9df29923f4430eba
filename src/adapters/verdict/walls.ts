import { headline, isHeaded } from './headline.js';
import type { PageFace } from './page-face.js';
import type { Clue } from './vendors.js';

/** Pages that want something of the visitor before they show anything. */
export const WALL_CLUES: readonly Clue[] = [
  { sign: 'linkedin_authwall', shows: isAuthwall },
  { sign: 'sign_in', shows: isSignIn },
  { sign: 'consent_page', shows: isConsentPage },
];

function isAuthwall(face: PageFace): boolean {
  const { reader } = face;
  const { hostname, pathname } = addressOf(reader.page.finalUrl);
  if (/(?:^|\.)linkedin\.com$/.test(hostname) && LINKEDIN_PATHS.test(pathname)) return true;
  if (/auth_wall|authwall/.test(reader.meta('pagekey') ?? '')) return true;
  if (face.length < 50 && face.isTiny && face.holds('/authwall?trk=')) return true;
  return face.title.includes('linkedin') && LINKEDIN_TITLES.test(face.title) && !face.isDescribed;
}

const LINKEDIN_PATHS = /^\/(?:authwall|login|signup|uas\/login|checkpoint)\b/;
const LINKEDIN_TITLES =
  /^(?:linkedin )?(?:sign up|sign in|log ?in|join|security verification|anmelden|einloggen|registrieren|mitglied werden|s'inscrire|s'identifier|s inscrire|inscrivez vous|identifiez vous|connexion|registrarse|regístrate|únete|inicia sesión|iniciar sesión|iscriviti|accedi|cadastre se|entrar|aanmelden|inloggen|lid worden|logga in|gå med|logg inn|bli medlem|log ind|zaloguj|dołącz|přihlásit|přihlášení|zaregistrovat|войти|регистрация|oturum aç|登录|ログイン)\b/u;

/** Sent to a sign-in, or a page that is headed as one and holds little but its form. */
function isSignIn(face: PageFace): boolean {
  const { url, finalUrl } = face.reader.page;
  // Who asked for a sign-in gets one; who was on the way to something else was turned away.
  if (isSignInAddress(url) && !isOnTheWay(url)) return false;
  const wasSent = (finalUrl !== url || isOnTheWay(url)) && isSignInAddress(finalUrl);
  if (wasSent && (face.hasPassword || isHeaded(face, SIGN_IN, { title: 1_000, heading: 500 }))) return true;
  return (
    face.length < 2_500 && !face.isItem && isHeaded(face, SIGN_IN, { title: 1_000, heading: 500 }) && face.hasPassword
  );
}

function isSignInAddress(url: string): boolean {
  const { hostname, pathname } = addressOf(url);
  return SIGN_IN_PATHS.test(pathname) || /^(?:login|signin|sso|auth|accounts|idp)\./.test(hostname);
}

/** `?return_to=/jobs/1`: the page that was wanted comes after. */
const isOnTheWay = (url: string): boolean =>
  URL.canParse(url) && [...new URL(url).searchParams.keys()].some((name) => RETURN_NAMES.test(name));

const RETURN_NAMES =
  /^(?:return|next|continue|goto|dest|destination|forward|back|(?:return|redirect|continue|back|success)[_-]?(?:to|ur[il]|path|page)?|session_redirect|r(?:et)?url|from[_-]?(?:ur[il]|page))$/i;

const SIGN_IN_PATHS = /\/(?:log-?in|sign-?in|auth|authwall|session\/new|sso|account\/logon|wp-login\.php)(?:[/.]|$)/i;

const SIGN_IN = headline({
  long: `
    sign in | log in | login | logon | log on | sign in to continue | log in to continue | please log in | please sign in
    please login | you must log in to continue | sign in to account | log in to account | login to account | member login
    members login | user login | customer login | client login | account login | sign in or register | sign in or sign up
    log in or sign up | login or register | log in or register | sign in or create an account | login page | login required
    sign in to view page | authentication required | anmelden | anmeldung | einloggen | bitte anmelden | bitte einloggen
    bitte melden sie sich an | kundenlogin | connexion | se connecter | connectez vous | identifiez vous | identification
    s'identifier | connexion à votre compte | iniciar sesión | inicia sesión | inicio de sesión | identifícate | accedi
    accedi al tuo account | effettua il login | entrar | iniciar sessão | inicie sessão | fazer login | faça login
    inloggen | aanmelden | log in op account | logga in | logg inn | log ind | kirjaudu | kirjaudu sisään | zaloguj się
    logowanie | přihlášení | přihlásit se | prihlásenie | prihlásiť sa | bejelentkezés | autentificare | conectare
    вход | войти | авторизация | вход в систему | вход на сайт | увійти | вхід | giriş yap | oturum aç | σύνδεση
    ログイン | 登录 | 登入 | 로그인 | تسجيل الدخول | התחברות`,
});

/** Sent to a host that keeps consents, or a page that is headed as a question of consent, or says nothing else. */
function isConsentPage(face: PageFace): boolean {
  const { reader } = face;
  const asked = addressOf(reader.page.url).hostname;
  const { hostname } = addressOf(reader.page.finalUrl);
  if (hostname !== asked && CONSENT_HOSTS.test(hostname)) return true;
  if (face.length > 5_000 || face.isItem) return false;
  const isAsked = face.says(CONSENT_SAYS);
  const [first = { text: '' }, second = { text: '' }] = reader.lines;
  if (isAsked && [first, second].some(({ text }) => CONSENT_TITLES.test(text.toLowerCase()))) return true;
  if (isAsked && (CONSENT_TITLES.test(face.title) || face.titles.some(({ words }) => CONSENT_PARTS.has(words))))
    return true;
  if (face.length < 4_000 && face.holds('action="https://consent.', '/collectConsent', 'action="https://guce.'))
    return isAsked;
  return face.length < 2_000 && isAsked && saysNothingElse(face);
}

const CONSENT_HOSTS = /^(?:consent|guce|cmp|myprivacy|privacy-?gate|cookie-?wall)\./;
const CONSENT_TITLES =
  /^(?:before you (?:continue|go)\b|bevor sie (?:fortfahren|zu |weiter)|avant de continuer|avant d'accéder|antes de (?:continuar|ir a)|prima di continuare|voordat (?:je|u) (?:verder|doorgaat|naar )|innan du (?:fortsätter|går)|før du (?:fortsætter|fortsetter|går)|ennen kuin jatkat|zanim przejdziesz|než budete pokračovat|прежде чем (?:продолжить|перейти))|\bis part of the \S{1,30} family of brands|\bteil der \S{1,30} markenfamilie|fait partie de la famille de marques/u;
const CONSENT_PARTS: ReadonlySet<string> = new Set([
  'cookie consent',
  'cookie wall',
  'cookiewall',
  'consent',
  'privacy consent',
  'privacy gate',
  'dpg media privacy gate',
  'we value your privacy',
  'wir respektieren ihre privatsphäre',
  'zustimmung',
  'zustimmung erforderlich',
  'consent required',
  'einwilligung',
  'cookie einwilligung',
]);

const CONSENT_SAYS =
  /cookie|\btracking\b|personal(?:ised|ized) ads|personenbezogene|données personnelles|datos personales|dati personali|persoonsgegevens/;

/** Nearly every line is about consent, and a button gives it. What a shell would show later is not counted against it. */
function saysNothingElse(face: PageFace): boolean {
  const { lines } = face.reader;
  const about = lines.filter(({ text }) => CONSENT_LINE.test(text.toLowerCase()));
  const size = (some: readonly { text: string }[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return size(about) > 80 && size(about) > size(lines) * 0.85 && face.actions.some((words) => ACCEPT.test(words));
}

const CONSENT_LINE =
  /cookie|consent|privacy|data protection|partner|advertis|personali[sz]|tracking|datenschutz|zustimm|einwillig|akzeptier|ablehn|werbung|impressum|einstellung|accept|agree|reject|settings|preferences|confidentialité|consentement|publicit|paramètr|refuser|privacidad|consent|aceptar|rechazar|preferencias|accett|rifiut|preferenze|toestemming|weiger|instelling/;
const ACCEPT =
  /^(?:(?:i )?(?:accept|agree|allow)|yes i agree|got it|ok\b|consent|alle akzeptieren|akzeptieren|zustimmen|einverstanden|alle cookies|ich stimme zu|tout accepter|accepter|j'accepte|aceptar|acepto|accett|aceitar|accepteren|alles accepteren|akkoord|godkänn|acceptera|aksepter|accepter alle|hyväksy|akceptuj|zgadzam|přijmout|souhlasím|принять|согласен)/;

/** Of a page without a readable address there is nothing to conclude. */
const addressOf = (url: string): { hostname: string; pathname: string } =>
  URL.canParse(url) ? new URL(url) : { hostname: '', pathname: '' };
