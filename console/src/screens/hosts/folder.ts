import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, call } from '../../api/client.js';
import type { FolderDto, UrlStateDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';

/** Number of steps in which a large host is counted before the user decides whether to continue. */
const MAX_STEPS = 30;
const MAX_SAMPLE_SIZE = 100;

export interface Contents {
  readonly folders: ReadonlyMap<string, number>;
  readonly others: number;
  readonly urls: number;
  readonly sample: readonly UrlStateDto[];
  /** Share of the search that has been completed; 1 if the counts are exact. */
  readonly searchedShare: number;
  readonly next?: string;
}

const EMPTY_CONTENTS: Contents = { folders: new Map(), others: 0, urls: 0, sample: [], searchedShare: 0 };

function addStep(previous: Contents, step: FolderDto): Contents {
  const folders = new Map(previous.folders);
  for (const { name, urls } of step.folders) folders.set(name, (folders.get(name) ?? 0) + urls);
  return {
    folders,
    others: previous.others + step.others,
    urls: previous.urls + step.urls,
    sample: [...previous.sample, ...step.sample].slice(0, MAX_SAMPLE_SIZE),
    searchedShare: step.next === null ? 1 : step.searched,
    next: step.next ?? undefined,
  };
}

export interface Folder {
  readonly contents?: Contents;
  readonly problem?: ApiProblem;
  /** Continues counting; absent if everything has been counted. */
  readonly resume?: () => void;
}

/** Loads the contents of a folder, and returns what has been counted so far. */
export function useFolder(crawler: string, host: string, folder: string): Folder {
  const [contents, setContents] = useState<Contents>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [resumeCount, setResumeCount] = useState(0);
  const [isCounting, setCounting] = useState(true);
  useEffect(() => {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      let total = contents ?? EMPTY_CONTENTS;
      for (let step = 0; step < MAX_STEPS && (total.next !== undefined || total === EMPTY_CONTENTS); step++) {
        const query = { crawler, folder: folder || undefined, cursor: total.next };
        total = addStep(
          total,
          await call('GET /api/v1/hosts/{host}/folders', { path: { host }, query, signal: abort.signal }),
        );
        if (abort.signal.aborted) return;
        setContents(total);
      }
      setCounting(false);
    };
    setCounting(true);
    run().catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(toApiProblem(error));
    });
    return () => abort.abort();
  }, [crawler, host, folder, resumeCount]);
  const cannotResume = isCounting || contents?.next === undefined;
  return { contents, problem, resume: cannotResume ? undefined : () => setResumeCount(resumeCount + 1) };
}
