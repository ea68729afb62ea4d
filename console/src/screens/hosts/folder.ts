import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, call } from '../../api/client.js';
import type { FolderDto, UrlStateDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';

/** A large host is counted in steps; after this many, the user decides whether to continue. */
const STEPS = 30;
const SAMPLE = 100;

export interface Contents {
  readonly folders: ReadonlyMap<string, number>;
  readonly others: number;
  readonly urls: number;
  readonly sample: readonly UrlStateDto[];
  /** Share of the search that has been completed; 1 if the counts are exact. */
  readonly searched: number;
  readonly next?: string;
}

const NOTHING: Contents = { folders: new Map(), others: 0, urls: 0, sample: [], searched: 0 };

function addStep(before: Contents, step: FolderDto): Contents {
  const folders = new Map(before.folders);
  for (const { name, urls } of step.folders) folders.set(name, (folders.get(name) ?? 0) + urls);
  return {
    folders,
    others: before.others + step.others,
    urls: before.urls + step.urls,
    sample: [...before.sample, ...step.sample].slice(0, SAMPLE),
    searched: step.next === null ? 1 : step.searched,
    next: step.next ?? undefined,
  };
}

export interface Folder {
  readonly contents?: Contents;
  readonly problem?: ApiProblem;
  /** Continues counting; absent if everything has been counted. */
  readonly resume?: () => void;
}

/** The contents of a folder, which grow while they are being counted. */
export function useFolder(crawler: string, host: string, folder: string): Folder {
  const [contents, setContents] = useState<Contents>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [rounds, setRounds] = useState(0);
  const [isCounting, setCounting] = useState(true);
  useEffect(() => {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      let sum = contents ?? NOTHING;
      for (let step = 0; step < STEPS && (sum.next !== undefined || sum === NOTHING); step++) {
        const query = { crawler, folder: folder || undefined, cursor: sum.next };
        sum = addStep(
          sum,
          await call('GET /api/v1/hosts/{host}/folders', { path: { host }, query, signal: abort.signal }),
        );
        if (abort.signal.aborted) return;
        setContents(sum);
      }
      setCounting(false);
    };
    setCounting(true);
    run().catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(toApiProblem(error));
    });
    return () => abort.abort();
  }, [crawler, host, folder, rounds]);
  const isDone = isCounting || contents?.next === undefined;
  return { contents, problem, resume: isDone ? undefined : () => setRounds(rounds + 1) };
}
