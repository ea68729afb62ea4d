/** The configuration as the guide changes it. Until the crawl begins its crawler is there on trial: whoever leaves takes it back. */
import { useEffect, useRef } from 'preact/hooks';
import { callForAnswer } from '../../api/client.js';
import { asProblem } from '../../state/resource.js';
import { say } from '../../ui/notices.js';
import type { LoadedConfiguration } from '../configuration/load.js';

export interface Trial {
  readonly begin: (xml: string) => Promise<void>;
  readonly takeBack: () => Promise<void>;
  /** What is written stays. */
  readonly keep: (xml: string) => Promise<void>;
}

/** @param onWritten the configuration is another one now */
export function useTrial({ xml: before, etag }: LoadedConfiguration, onWritten: () => void): Trial {
  /** Of the text that the next one is made from: what others wrote in between is not overwritten. */
  const latest = useRef(etag);
  const onTrial = useRef(false);
  const writing = useRef<Promise<unknown>>(Promise.resolve());
  const write = async (body: string, isTrial: boolean, keepalive?: true): Promise<void> => {
    const answer = await callForAnswer('PUT /api/v1/config', { body, ifMatch: latest.current, keepalive });
    latest.current = answer.etag;
    onTrial.current = isTrial;
    onWritten();
  };
  const put = (body: string, isTrial: boolean): Promise<void> => {
    const written = write(body, isTrial);
    writing.current = written.catch(() => {});
    return written;
  };
  useEffect(() => {
    const leave = async (keepalive?: true): Promise<void> => {
      await writing.current;
      if (!onTrial.current) return;
      await write(before, false, keepalive).catch((error) => say(staysBecause(error), 'bad'));
    };
    const hide = (): void => void leave(true);
    addEventListener('pagehide', hide);
    return () => {
      removeEventListener('pagehide', hide);
      void leave();
    };
  }, []);
  return {
    begin: (xml) => put(xml, true),
    takeBack: () => put(before, false),
    keep: (xml) => put(xml, false),
  };
}

function staysBecause(error: unknown): string {
  const { status, detail } = asProblem(error);
  return `The new crawler stays in the configuration. ${status === 412 ? 'Somebody changed it meanwhile.' : detail}`;
}
