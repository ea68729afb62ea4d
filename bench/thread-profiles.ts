/**
 * Reads what `node --cpu-prof` writes, a file for each thread, and says what the threads did: how long they were busy, how much
 * of it was the garbage collector, and which functions took the most time themselves.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ThreadTime {
  readonly thread: string;
  readonly busy: number;
  readonly collector: number;
  /** Seconds by function, without those of the functions that it calls. */
  readonly functions: ReadonlyMap<string, number>;
}

const COLLECTOR = '(garbage collector)';
const NO_WORK = new Set(['(idle)', '(root)', '(program)']);
const SHOWN_FUNCTIONS = 15;

/** Describes the threads whose profiles are in the folder, the busiest first, as Markdown. */
export function describeProfiles(folder: string): string {
  const threads = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => readThread(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile))
    .sort((a, b) => b.busy - a.busy);
  const rows = threads.map(
    ({ thread, busy, collector }) => `| ${thread} | ${busy.toFixed(2)} | ${collector.toFixed(2)} |`,
  );
  const lists = threads.map(({ thread, functions }) => {
    const longest = [...functions].sort(([, a], [, b]) => b - a).slice(0, SHOWN_FUNCTIONS);
    return `${thread}: ${longest.map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`).join(', ')}`;
  });
  return ['| thread | busy s | collector s |', '|---|---|---|', ...rows, '', ...lists].join('\n');
}

function readThread({ nodes, samples, timeDeltas }: Profile): ThreadTime {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const entry = nodes.map(({ callFrame }) => basename(callFrame.url)).find((file) => /\.thread\.js$/.test(file));
  const functions = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, i) => {
    const frame = frames.get(id);
    if (!frame || NO_WORK.has(frame.functionName)) return;
    const seconds = (timeDeltas[i] ?? 0) / 1e6;
    const place = frame.url === '' ? '' : ` (${basename(frame.url)}:${frame.lineNumber + 1})`;
    const name = `${frame.functionName || 'anonymous'}${place}`;
    functions.set(name, (functions.get(name) ?? 0) + seconds);
    busy += seconds;
  });
  return { thread: entry ?? 'main thread', busy, collector: functions.get(COLLECTOR) ?? 0, functions };
}
