/** Applied migrations are never edited: a change is a new number. */
export const suspicion = {
  id: 5,
  name: 'suspicion and who is at work',
  statements: [
    'ALTER TABLE tasks ADD COLUMN suspicion TEXT',
    // Set from claim to settle, except while the visit only waits for its next leg.
    'ALTER TABLE tasks ADD COLUMN at_work BIGINT NOT NULL DEFAULT 0',
    // Until now bystanders were counted, too.
    `UPDATE tasks SET suspicion = 'service', crashes = 0 WHERE crashes > 0 AND completed_at IS NULL`,
  ],
};
