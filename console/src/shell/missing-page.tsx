import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { findCrawlerForUrl } from '../state/crawler-for-url.js';
import { useCrawler, useCrawlers } from '../state/crawlers.js';
import { href, navigate } from '../state/route.js';

const SHORTCUT = '/';

const TYPED_INTO = 'input, textarea, select, [contenteditable], [role="textbox"], dialog';

/** Whether a key belongs to a field, the editor or an open dialog. The editor is in a shadow tree, whose host has the focus. */
const isTyped = (event: KeyboardEvent): boolean =>
  event.composedPath().some((target) => target instanceof Element && target.matches(TYPED_INTO));

/** A field, shown on every screen, for the question that users ask most: why a page is missing. */
export function MissingPageSearch(): JSX.Element | null {
  const crawler = useCrawler()?.name;
  const names = (useCrawlers().value ?? []).map(({ name }) => name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusField = (event: KeyboardEvent): void => {
      if (event.key !== SHORTCUT || event.ctrlKey || event.metaKey || event.altKey || isTyped(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focusField);
    return () => removeEventListener('keydown', focusField);
  }, []);
  if (!crawler) return null;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get('page') ?? '').trim();
    if (text === '') return;
    navigate(href('/try', { ...(await findCrawlerForUrl(text, crawler, names)) }));
    form.reset();
  };
  return (
    <search class="missing-page">
      <form onSubmit={submit}>
        <input
          ref={field}
          aria-keyshortcuts={SHORTCUT}
          title={`Press ${SHORTCUT} to enter a URL`}
          name="page"
          type="text"
          inputMode="url"
          class="mono"
          spellcheck={false}
          aria-label="Why is my page missing?"
          placeholder="Why is my page missing? Enter its URL…"
        />
        <button type="submit" class="button">
          Find out
        </button>
      </form>
    </search>
  );
}
