// A child process for the crash test: writes batches until it is killed, and tells each one that the store has acknowledged.
import { openSqliteStore } from '../../src/adapters/storage/sqlite/sqlite-store.js';
import { newUrl, order, visit } from './frontier-samples.js';

const [file, first] = process.argv.slice(2) as [string, string];
const store = await openSqliteStore(file);

for (let n = Number(first); ; n++) {
  const paths = Array.from({ length: 20 }, (_, i) => `http://host-${i % 3}.example/${n}/${i}`);
  const states = await store.discover(paths.map((path) => newUrl(path)));
  process.stdout.write(`discovered ${n}\n`);
  await store.settle(
    states.map((state, i) => ({
      id: state.id,
      changes: { status: 'indexed', stamp: `stamp-${n}`, visits: 1 },
      visit: visit(n),
      orders: [order(n * 20 + i + 1, { uri: state.url })],
    })),
  );
  process.stdout.write(`settled ${n}\n`);
}
