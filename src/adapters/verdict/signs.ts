import type { RefusalCode } from '../../domain/page.js';

interface SignRule {
  code: RefusalCode;
  meaning: string;
}

const blocked = (meaning: string): SignRule => ({ code: 'blocked_page', meaning });
const missing = (meaning: string): SignRule => ({ code: 'missing_page', meaning });
const error = (meaning: string): SignRule => ({ code: 'error_page', meaning });

/**
 * Everything that a page which is not the content may be known by. The names are stable: callers and operators see
 * them as `page_sign`, beside the code they stand for.
 */
export const PAGE_SIGNS = {
  cloudflare_challenge: blocked('Cloudflare checks the browser by script.'),
  cloudflare_captcha: blocked('Cloudflare wants a captcha solved.'),
  cloudflare_blocked: blocked("Cloudflare's firewall turned the visit away."),
  sucuri: blocked('A script challenge or refusal of the Sucuri firewall.'),
  imperva: blocked('A frame, script challenge or refusal of Imperva (Incapsula).'),
  distil: blocked('"Pardon our interruption": Distil, now a part of Imperva.'),
  datadome: blocked('A captcha or device check of DataDome.'),
  perimeterx: blocked('"Press & hold" or a refusal of PerimeterX (HUMAN).'),
  akamai: blocked('A refusal or challenge at the edge of Akamai.'),
  aws_waf: blocked('A challenge, captcha or refusal of AWS WAF or CloudFront.'),
  kasada: blocked('A script challenge of Kasada.'),
  f5: blocked('"The requested URL was rejected", or a script challenge, of F5.'),
  ddos_guard: blocked('A browser check of DDoS-Guard.'),
  radware: blocked('A captcha or refusal of Radware (ShieldSquare).'),
  alibaba: blocked('A script challenge or slider of Alibaba Cloud.'),
  wordfence: blocked('A refusal of Wordfence or of a server module like it.'),
  hosting_challenge: blocked('A browser check of a hosting or delivery company, or of a proof-of-work gate.'),
  captcha: blocked('A captcha of another make, and nothing else.'),
  unusual_traffic: blocked('The site tells of unusual traffic from our network.'),
  too_many_requests: blocked('The site says that we came too often.'),
  region_blocked: blocked('The site does not serve the country we come from.'),
  access_denied: blocked('"Access denied" or "forbidden", by nobody in particular.'),
  linkedin_authwall: { code: 'login_wall', meaning: 'LinkedIn wants its visitor to join or sign in.' },
  sign_in: { code: 'login_wall', meaning: 'A page that is only a sign-in.' },
  consent_page: { code: 'consent_wall', meaning: 'A page that only asks for consent to cookies or tracking.' },
  php_error: error('A fatal error of PHP.'),
  stack_trace: error("A programming language's own report of a fault."),
  database_error: error('The site could not reach its database.'),
  server_error: error('A server or gateway tells of a fault.'),
  maintenance: error('The site is closed for maintenance.'),
  not_found_page: missing('"Page not found", with a status of success.'),
  parked_domain: missing('The domain is for sale or parked.'),
  default_page: missing('The page a server shows before it has a site, or after its account was closed.'),
  not_text: { code: 'empty_page', meaning: 'Bytes that are no text: a picture, an archive, or an unknown encoding.' },
  script_shell: { code: 'empty_page', meaning: 'Nothing to read before scripts have run.' },
  frameset: { code: 'empty_page', meaning: 'Frames only; what is to be read is in other documents.' },
  nothing_to_read: { code: 'empty_page', meaning: 'Nothing to read, and no scripts that would bring it.' },
} as const satisfies Record<string, SignRule>;

export type PageSign = keyof typeof PAGE_SIGNS;
