// Run under `ulimit -f`: the file of the store can grow up to a point, and from there the system refuses every write.
import { SqliteDatabase } from '../../src/backends/embedded/sqlite-database.ts';

let told = 0;
const database = new SqliteDatabase(process.argv[2], { onBroken: (error) => done(error.cause?.code) });
const done = (code) => {
  process.stdout.write(JSON.stringify({ code, told }));
  process.exit(7);
};
await database.write((tx) => tx.run('CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT)'));
for (let id = 1; ; id += 1) {
  await database.write((tx) => tx.run('INSERT INTO notes VALUES (?, ?)', [id, 'x'.repeat(3_000)]));
  told = id;
}
