import type { Random } from '../ports/clock.js';

/** Where somebody sits: a city, the clock on its wall and what its people have set their browsers to. */
export interface Place {
  timezone: string;
  /** As in `navigator.languages`, the preferred one first. */
  languages: string[];
  geolocation: { latitude: number; longitude: number } | null;
}

/** Somewhere in the region (ISO 3166 country code, in any case), or the default for one we do not know. */
export function placeIn(region: string | null, random: Random): Place {
  const code = region?.toUpperCase() ?? '';
  const cities = REGIONS[ALIASES[code] ?? code];
  if (!cities) return { ...ANYWHERE, languages: [...ANYWHERE.languages] };
  const [languages, timezone, , latitude, longitude] = cities[Math.floor(random() * cities.length)]!;
  return {
    timezone,
    languages: languages.split(','),
    geolocation: { latitude: near(latitude, random), longitude: near(longitude, random) },
  };
}

/** The codes that `placeIn` knows. */
export const knownRegions = (): string[] => Object.keys(REGIONS);

/**
 * Nobody said where the visit comes from, so nothing is claimed that an address could contradict: the language most
 * sites serve, a clock to go with it, and no position.
 */
const ANYWHERE: Place = { timezone: 'America/New_York', languages: ['en-US', 'en'], geolocation: null };

/** Codes that are written by mistake and mean no other country. */
const ALIASES: Record<string, string | undefined> = { UK: 'GB' };

/** About two kilometres: no two visitors stand on one spot, and none of the cities ends that close to its centre. */
const SPREAD_DEGREES = 0.02;

const near = (centre: number, random: Random): number =>
  Number((centre + (random() * 2 - 1) * SPREAD_DEGREES).toFixed(4));

/** Languages, timezone and position belong together, so they are chosen together: a row is one city. */
type City = [languages: string, timezone: string, name: string, latitude: number, longitude: number];

const US = 'en-US,en';
const CA = 'en-CA,en-US,en';
const AU = 'en-AU,en-GB,en-US,en';
const BR = 'pt-BR,pt,en-US,en';
const MX = 'es-MX,es,en-US,en';
const ES = 'es-ES,es,en-US,en';
const PT = 'pt-PT,pt,en-US,en';
const ID = 'id-ID,id,en-US,en';
const DE = 'de-DE,de,en-US,en';

const REGIONS: Record<string, City[] | undefined> = {
  AE: [['ar-AE,ar,en-US,en', 'Asia/Dubai', 'Dubai', 25.2048, 55.2708]],
  AR: [
    ['es-AR,es,en-US,en', 'America/Argentina/Buenos_Aires', 'Buenos Aires', -34.6237, -58.4416],
    ['es-AR,es,en-US,en', 'America/Argentina/Cordoba', 'Córdoba', -31.4201, -64.1888],
  ],
  AT: [['de-AT,de,en-US,en', 'Europe/Vienna', 'Vienna', 48.2082, 16.3738]],
  AU: [
    [AU, 'Australia/Sydney', 'Sydney', -33.8888, 151.1],
    [AU, 'Australia/Melbourne', 'Melbourne', -37.8136, 144.9631],
    [AU, 'Australia/Brisbane', 'Brisbane', -27.4698, 153.0251],
    [AU, 'Australia/Adelaide', 'Adelaide', -34.9285, 138.6007],
    [AU, 'Australia/Perth', 'Perth', -31.9523, 115.8613],
  ],
  BE: [
    ['fr-BE,fr,en-US,en', 'Europe/Brussels', 'Brussels', 50.8503, 4.3517],
    ['nl-BE,nl,en-US,en', 'Europe/Brussels', 'Ghent', 51.0543, 3.7174],
  ],
  BG: [['bg-BG,bg,en-US,en', 'Europe/Sofia', 'Sofia', 42.6977, 23.3219]],
  BR: [
    [BR, 'America/Sao_Paulo', 'São Paulo', -23.5505, -46.6333],
    [BR, 'America/Bahia', 'Salvador', -12.9, -38.44],
    [BR, 'America/Fortaleza', 'Fortaleza', -3.78, -38.54],
    [BR, 'America/Manaus', 'Manaus', -3.06, -60.02],
  ],
  CA: [
    [CA, 'America/Toronto', 'Toronto', 43.7, -79.4],
    ['fr-CA,fr,en-CA,en', 'America/Toronto', 'Montréal', 45.5019, -73.5674],
    [CA, 'America/Winnipeg', 'Winnipeg', 49.8951, -97.1384],
    [CA, 'America/Edmonton', 'Calgary', 51.0447, -114.0719],
    [CA, 'America/Vancouver', 'Vancouver', 49.25, -123.1],
    [CA, 'America/Halifax', 'Halifax', 44.65, -63.6],
  ],
  CH: [
    ['de-CH,de,en-US,en', 'Europe/Zurich', 'Zürich', 47.3769, 8.5417],
    ['fr-CH,fr,en-US,en', 'Europe/Zurich', 'Lausanne', 46.54, 6.64],
  ],
  CL: [['es-CL,es,en-US,en', 'America/Santiago', 'Santiago', -33.4489, -70.6693]],
  CN: [
    ['zh-CN,zh,en-US,en', 'Asia/Shanghai', 'Shanghai', 31.2304, 121.4737],
    ['zh-CN,zh,en-US,en', 'Asia/Shanghai', 'Beijing', 39.9042, 116.4074],
  ],
  CO: [['es-CO,es,en-US,en', 'America/Bogota', 'Bogotá', 4.65, -74.1]],
  CZ: [['cs-CZ,cs,en-US,en', 'Europe/Prague', 'Prague', 50.0755, 14.4378]],
  DE: [
    [DE, 'Europe/Berlin', 'Berlin', 52.52, 13.405],
    [DE, 'Europe/Berlin', 'Munich', 48.1351, 11.582],
    [DE, 'Europe/Berlin', 'Hamburg', 53.5511, 9.9937],
  ],
  DK: [['da-DK,da,en-US,en', 'Europe/Copenhagen', 'Copenhagen', 55.68, 12.53]],
  EE: [['et-EE,et,en-US,en', 'Europe/Tallinn', 'Tallinn', 59.41, 24.74]],
  EG: [['ar-EG,ar,en-US,en', 'Africa/Cairo', 'Cairo', 30.0444, 31.2357]],
  ES: [
    [ES, 'Europe/Madrid', 'Madrid', 40.4168, -3.7038],
    [ES, 'Europe/Madrid', 'Seville', 37.3891, -5.9845],
    [ES, 'Atlantic/Canary', 'Las Palmas', 28.1, -15.45],
  ],
  FI: [['fi-FI,fi,en-US,en', 'Europe/Helsinki', 'Helsinki', 60.2, 24.93]],
  FR: [
    ['fr-FR,fr,en-US,en', 'Europe/Paris', 'Paris', 48.8566, 2.3522],
    ['fr-FR,fr,en-US,en', 'Europe/Paris', 'Lyon', 45.764, 4.8357],
  ],
  GB: [
    ['en-GB,en-US,en', 'Europe/London', 'London', 51.5074, -0.1278],
    ['en-GB,en-US,en', 'Europe/London', 'Manchester', 53.4808, -2.2426],
  ],
  GR: [['el-GR,el,en-US,en', 'Europe/Athens', 'Athens', 37.9838, 23.7275]],
  HK: [['zh-HK,zh,en-US,en', 'Asia/Hong_Kong', 'Hong Kong', 22.38, 114.13]],
  HU: [['hu-HU,hu,en-US,en', 'Europe/Budapest', 'Budapest', 47.4979, 19.0402]],
  ID: [
    [ID, 'Asia/Jakarta', 'Jakarta', -6.2088, 106.8456],
    [ID, 'Asia/Makassar', 'Makassar', -5.15, 119.46],
  ],
  IE: [['en-IE,en-GB,en-US,en', 'Europe/Dublin', 'Dublin', 53.34, -6.28]],
  IL: [['he-IL,he,en-US,en', 'Asia/Jerusalem', 'Petah Tikva', 32.084, 34.8878]],
  IN: [
    ['en-IN,en-GB,en-US,en', 'Asia/Kolkata', 'Mumbai', 19.1, 72.88],
    ['en-IN,en-GB,en-US,en', 'Asia/Kolkata', 'Bengaluru', 12.9716, 77.5946],
  ],
  IT: [
    ['it-IT,it,en-US,en', 'Europe/Rome', 'Rome', 41.8797, 12.5113],
    ['it-IT,it,en-US,en', 'Europe/Rome', 'Milan', 45.4642, 9.19],
  ],
  JP: [
    ['ja-JP,ja,en-US,en', 'Asia/Tokyo', 'Tokyo', 35.6895, 139.6917],
    ['ja-JP,ja,en-US,en', 'Asia/Tokyo', 'Kyoto', 35.0116, 135.7681],
  ],
  KR: [['ko-KR,ko,en-US,en', 'Asia/Seoul', 'Seoul', 37.5665, 126.978]],
  LT: [['lt-LT,lt,en-US,en', 'Europe/Vilnius', 'Vilnius', 54.6872, 25.2797]],
  LV: [['lv-LV,lv,en-US,en', 'Europe/Riga', 'Riga', 56.9496, 24.1052]],
  MX: [
    [MX, 'America/Mexico_City', 'Mexico City', 19.4326, -99.1332],
    [MX, 'America/Monterrey', 'Monterrey', 25.6866, -100.3161],
    [MX, 'America/Cancun', 'Cancún', 21.14, -86.88],
  ],
  MY: [['ms-MY,ms,en-US,en', 'Asia/Kuala_Lumpur', 'Kuala Lumpur', 3.139, 101.6869]],
  NL: [['nl-NL,nl,en-US,en', 'Europe/Amsterdam', 'Utrecht', 52.0907, 5.1214]],
  NO: [['nb-NO,nb,no,nn,en-US,en', 'Europe/Oslo', 'Oslo', 59.93, 10.76]],
  NZ: [['en-NZ,en-GB,en-US,en', 'Pacific/Auckland', 'Auckland', -36.89, 174.75]],
  PE: [['es-PE,es,en-US,en', 'America/Lima', 'Lima', -12.06, -77.03]],
  PH: [['en-PH,en-US,en', 'Asia/Manila', 'Quezon City', 14.65, 121.05]],
  PL: [
    ['pl-PL,pl,en-US,en', 'Europe/Warsaw', 'Warsaw', 52.2297, 21.0122],
    ['pl-PL,pl,en-US,en', 'Europe/Warsaw', 'Kraków', 50.0647, 19.945],
  ],
  PT: [
    [PT, 'Europe/Lisbon', 'Lisbon', 38.74, -9.15],
    [PT, 'Atlantic/Madeira', 'Funchal', 32.68, -16.92],
  ],
  RO: [['ro-RO,ro,en-US,en', 'Europe/Bucharest', 'Bucharest', 44.4268, 26.1025]],
  SE: [['sv-SE,sv,en-US,en', 'Europe/Stockholm', 'Stockholm', 59.33, 18.03]],
  SG: [['en-SG,en-GB,en-US,en', 'Asia/Singapore', 'Singapore', 1.35, 103.82]],
  SK: [['sk-SK,sk,cs,en-US,en', 'Europe/Bratislava', 'Bratislava', 48.16, 17.13]],
  TH: [['th-TH,th,en-US,en', 'Asia/Bangkok', 'Bangkok', 13.7563, 100.5018]],
  TR: [['tr-TR,tr,en-US,en', 'Europe/Istanbul', 'Ankara', 39.9334, 32.8597]],
  TW: [['zh-TW,zh,en-US,en', 'Asia/Taipei', 'Taipei', 25.033, 121.54]],
  UA: [['uk-UA,uk,en-US,en', 'Europe/Kyiv', 'Kyiv', 50.4501, 30.48]],
  US: [
    [US, 'America/New_York', 'New York', 40.7128, -73.95],
    [US, 'America/New_York', 'Atlanta', 33.749, -84.388],
    [US, 'America/Chicago', 'Chicago', 41.85, -87.7],
    [US, 'America/Chicago', 'Dallas', 32.7767, -96.797],
    [US, 'America/Denver', 'Denver', 39.7392, -104.9903],
    [US, 'America/Phoenix', 'Phoenix', 33.4484, -112.074],
    [US, 'America/Los_Angeles', 'Los Angeles', 34.0522, -118.2437],
    [US, 'America/Los_Angeles', 'Seattle', 47.63, -122.32],
  ],
  VN: [['vi-VN,vi,en-US,en', 'Asia/Ho_Chi_Minh', 'Ho Chi Minh City', 10.79, 106.67]],
  ZA: [['en-ZA,en-GB,en-US,en', 'Africa/Johannesburg', 'Johannesburg', -26.2041, 28.0473]],
};
