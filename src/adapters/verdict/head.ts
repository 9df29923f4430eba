/** What a title, a part of one or a heading comes to. */
export interface Head {
  /** In words only, lower case. */
  words: string;
  /** The same without what headlines of errors begin and end with: `Oops! Error 404: this page …` */
  core: string;
  status: string | null;
  isError: boolean;
  /** It is not a part of something longer. */
  isWhole: boolean;
}

export function cored(words: string, isWhole = true): Head {
  let status: string | null = null;
  let isError = false;
  const said = words.split(' ').filter((word) => {
    if (/^[45]\d\d$/.test(word)) status ??= word;
    else if (ERROR_WORDS.has(word)) isError = true;
    else return !FILLERS.has(word);
    return false;
  });
  // `Error` alone is all it says.
  const core = said.length === 0 && status === null && isError ? 'error' : said.join(' ');
  return { words, core, status, isError, isWhole };
}

const ERROR_WORDS: ReadonlySet<string> = new Set(
  'error fehler erreur errore erro chyba błąd hiba fout feil fel fejl virhe eroare hata ошибка помилка http status code'.split(
    ' ',
  ),
);
const FILLERS: ReadonlySet<string> = new Set(
  'oops ooops ups oh no hmm sorry whoops uh hoppla huch the this that your requested nginx apache'.split(' '),
);
