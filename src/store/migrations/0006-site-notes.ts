/** Applied migrations are never edited: a change is a new number. */
export const siteNotes = {
  id: 6,
  name: 'notes on sites',
  statements: [
    `CREATE TABLE site_notes (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      note TEXT NOT NULL,
      until BIGINT NOT NULL,
      PRIMARY KEY (kind, name)
    )`,
  ],
};
