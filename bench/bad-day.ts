/**
 * `node dist/bench/bad-day.js --documents 2000`: a site fails for a simulated day in each of several ways, once with
 * the deletion guard and once without.
 */
import { parseArgs } from 'node:util';
import { BadDay, FAULTS } from '../test/support/bad-day.js';

const { values } = parseArgs({ options: { documents: { type: 'string', default: '2000' } } });

const rows: Record<string, unknown>[] = [];
for (const guard of ['on', 'off']) {
  for (const fault of FAULTS) {
    const startedAt = performance.now();
    const day = await BadDay.start(Number(values.documents), {
      attributes: guard === 'off' ? 'deletionGuard="off"' : '',
    });
    const { documents, left, held, requests } = await day.spend(fault);
    await day.recover(fault);
    rows.push({
      fault,
      guard,
      documents,
      deleted: documents - left,
      'held after the day': held,
      'requests during the day': requests,
      'in the index after recovery': (await day.world.indexed()).length,
      'held after recovery': await day.held(),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    });
    await day.close();
    console.error(`${fault}, guard ${guard}: done`);
  }
}
console.table(rows);
