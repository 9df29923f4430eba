import { headline, isHeaded } from './headline.js';
import type { PageFace } from './page-face.js';
import { type Clue, isBare } from './vendors.js';

/** Refusals by nobody in particular: by what they are headed with, and by what they say. */
export const BLOCK_CLUES: readonly Clue[] = [
  {
    sign: 'unusual_traffic',
    shows: (face) => standsAlone(face) && face.says(UNUSUAL_TRAFFIC),
  },
  {
    sign: 'captcha',
    shows: (face) =>
      face.holds('/errors/validateCaptcha') ||
      (!face.isForm && isHeaded(face, CAPTCHA_HEADLINE, { title: 1_500, heading: 800 })) ||
      (standsAlone(face) && face.holds(...CAPTCHA_WIDGETS) && face.says(CHALLENGE)) ||
      (standsAlone(face) && isBare(face) && face.says(CHALLENGE)),
  },
  {
    sign: 'too_many_requests',
    shows: (face) => isHeaded(face, TOO_MANY_HEADLINE, { title: 800, heading: 500 }),
  },
  {
    sign: 'region_blocked',
    shows: (face) => face.length < 1_000 && standsAlone(face) && face.says(REGION),
  },
  {
    sign: 'access_denied',
    shows: (face) =>
      isHeaded(face, DENIED_HEADLINE, { title: 1_200, heading: 600 }) || (isBare(face) && face.says(DENIED)),
  },
];

/** No site around it and no form on it: what it says, it says to the visitor it turns away. */
const standsAlone = (face: PageFace): boolean => !face.hasSite && !face.isForm;

const CAPTCHA_WIDGETS = [
  'g-recaptcha',
  '/recaptcha/',
  'h-captcha',
  'hcaptcha.com',
  'cf-turnstile',
  'challenges.cloudflare.com',
  'funcaptcha',
  'arkoselabs.com',
  'geetest',
  'smartcaptcha',
  'captcha',
  'Captcha',
  'CAPTCHA',
];

/** What captcha pages ask of a visitor. */
const CHALLENGE = new RegExp(
  [
    "(?:verify|verifying|confirm|prove|check(?:ing)? (?:if|that)|make sure|ensure)(?: that)? (?:you|you are|you're|we)(?: are|'re)?(?: not)?(?: an?| actually a)? (?:human|real (?:person|human|user|visitor)|robot|bot)\\b",
    'are you (?:a )?(?:robot|human)',
    "(?:i'm|i am) not a robot",
    'complete the (?:security check|captcha)',
    'enter the characters (?:you see|below)',
    'type the characters',
    'solve (?:the|this) (?:captcha|puzzle|challenge)',
    'bestätigen sie, dass sie (?:ein mensch|kein roboter)',
    'geben sie die (?:angezeigten )?zeichen',
    '(?:ich bin|sie sind|du bist) kein roboter',
    "(?:confirme[zr]|vérifie[zr]|prouve[zr]) que vous (?:êtes (?:bien )?(?:un )?humain|n'êtes pas un robot)",
    'saisissez les caractères',
    '(?:confirma|confirme|verifica|demuestra|demuestre|comprueba) que (?:eres|es|usted es|no eres|no es) (?:un )?(?:humano|robot)',
    'introduce los caracteres',
    '(?:conferma|verifica|dimostra) (?:di|che) (?:essere umano|non essere un robot|sei umano|non sei un robot)',
    '(?:confirme|verifique|prove) que (?:você )?(?:é humano|não é um robô)',
    '(?:bevestig|controleer|bewijs) dat (?:u|je) (?:een mens|geen robot)',
    'potwierdź, że (?:jesteś człowiekiem|nie jesteś robotem)',
    'po(?:tvrďte|tvrď), že (?:jste člověk|nejste robot)',
    '(?:подтвердите|докажите), что (?:вы не робот|вы человек|запросы отправляли вы)',
    '请完成安全验证|请输入验证码|ロボットではないことを確認',
  ].join('|'),
);

const UNUSUAL_TRAFFIC = new RegExp(
  [
    '(?:detected|noticed|seeing|seen|received) (?:some )?(?:unusual|suspicious|automated|abnormal) (?:traffic|activity|requests|behaviou?r)',
    '(?:unusual|suspicious|automated) (?:traffic|activity) (?:from|on|coming from) your',
    'this ip has been automatically blocked',
    'ungewöhnliche(?:n|r)? (?:datenverkehr|aktivität(?:en)?|zugriffe)',
    'trafic (?:exceptionnel|inhabituel|suspect)|activité (?:inhabituelle|suspecte)',
    'tráfico (?:inusual|sospechoso)|actividad inusual',
    'traffico (?:insolito|anomalo)|attività (?:insolite|sospette|anomale)',
    'tráfego (?:incomum|suspeito)|atividade incomum',
    'ongebruikelijk verkeer|ongewone activiteit',
    'nietypowy ruch|neobvyklý provoz',
    'подозрительный трафик|подозрительная активность|запросы, поступившие с вашего ip',
  ].join('|'),
);

const REGION =
  /(?:not|un)available (?:in|from|for visitors from) (?:your|the european|eu|europe)|not available in your (?:region|country|location)|451: unavailable (?:due to|for) legal reasons|unavailable for legal reasons|country belonging to the european economic area|in ihrem land nicht verfügbar|pas disponible dans votre (?:pays|région)|no está disponible en (?:tu|su) (?:país|región)/;

const DENIED =
  /^(?:error[: ]+)?(?:access (?:is )?(?:denied|forbidden)|403 forbidden|you don't have permission to access)|(?:you have|you've|your ip(?: address)?(?: has| is)?|your request (?:was|has)|your access (?:was|has|is))(?: been)?(?: temporarily| permanently)? blocked|blocked by (?:network|our) security/;

const DENIED_HEADLINE = headline({
  long: `
    access denied | access forbidden | access blocked | access to page denied | access restricted | restricted access
    request blocked | request rejected | request denied | you have been blocked | you've been blocked | you are blocked
    ip has been blocked | ip address has been blocked | ip blocked | ip address blocked | access has been blocked
    access has been denied | access to website has been blocked | access to site has been blocked
    you are not authorized to view page | permission denied | not authorized to view page
    zugriff verweigert | zugriff gesperrt | zugriff blockiert | zugang verweigert | zugang gesperrt
    accès refusé | accès interdit | accès bloqué | acceso denegado | acceso prohibido | acceso bloqueado
    accesso negato | accesso vietato | accesso bloccato | acesso negado | acesso bloqueado | acesso proibido
    toegang geweigerd | toegang ontzegd | toegang geblokkeerd | adgang nægtet | ingen adgang | ingen tilgang
    åtkomst nekad | åtkomst nekades | pääsy estetty | pääsy evätty | přístup odepřen | přístup zamítnut
    prístup zamietnutý | prístup odmietnutý | odmowa dostępu | dostęp zabroniony | brak dostępu | dostęp zablokowany
    hozzáférés megtagadva | acces interzis | acces refuzat | доступ запрещен | доступ запрещён | доступ ограничен
    доступ заборонено | доступ закрыт | erişim engellendi | アクセスが拒否されました | 访问被拒绝 | 拒绝访问 | 存取被拒
    접근이 거부되었습니다 | تم رفض الوصول`,
  short: 'forbidden | blocked | denied | unauthorized | not acceptable | security violation',
  statuses: '401 403 406 451',
});

const TOO_MANY_HEADLINE = headline({
  long: `
    too many requests | rate limit exceeded | rate limited | you are being rate limited | request limit exceeded
    zu viele anfragen | trop de requêtes | demasiadas solicitudes | troppe richieste | muitas solicitações
    te veel verzoeken | zbyt wiele żądań | příliš mnoho požadavků | слишком много запросов`,
  statuses: '429',
});

const CAPTCHA_HEADLINE = headline({
  long: `
    robot check | are you a robot | are you human | are you a human | robot or human | human or robot
    human verification | verify you are human | verify you are a human | verifying you are human
    please verify you are human | please verify you are a human | please verify that you are human
    verify you're human | verify that you're human | verify that you are human | confirm you are human
    verify you are not a robot | i am not a robot | i'm not a robot | are you not a robot | prove you are human
    human check | bot check | captcha challenge | captcha verification | captcha check
    security challenge | security verification | additional verification required | browser verification
    checking your browser | checking your browser before accessing | verifying your browser | please complete the captcha
    please complete the security check to access
    ich bin kein roboter | sind sie ein roboter | sind sie ein mensch | bist du ein mensch | bist du ein roboter
    sicherheitsüberprüfung | êtes vous un robot | êtes vous humain | je ne suis pas un robot | vérification de sécurité
    no soy un robot | eres un robot | eres humano | verificación de seguridad | non sono un robot | sei un robot
    verifica di sicurezza | não sou um robô | você é um robô | você é humano | verificação de segurança
    ben je een robot | bent u een robot | ik ben geen robot | ben je een mens | nie jestem robotem
    czy jesteś robotem | nejsem robot | jste robot | вы не робот | я не робот | вы робот | проверка браузера
    подтвердите что вы не робот | 安全验证 | 人机验证 | 百度安全验证 | 访问验证 | 로봇이 아닙니다`,
  short: 'captcha | security check | verification required | verification | validation request',
});
