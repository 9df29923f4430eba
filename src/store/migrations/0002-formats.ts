/** Applied migrations are never edited: a change is a new number. */
export const formats = {
  id: 2,
  name: 'formats',
  statements: ['ALTER TABLE tasks ADD COLUMN formats TEXT'],
};
