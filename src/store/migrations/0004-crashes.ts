/** Applied migrations are never edited: a change is a new number. */
export const crashes = {
  id: 4,
  name: 'crashes of tasks',
  statements: ['ALTER TABLE tasks ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0'],
};
