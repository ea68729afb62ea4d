import type { JSX } from 'preact';

/** A share as a bar. Screen readers skip it, because the number is shown beside it as text. */
export const Bar = ({ share, bad = false }: { share: number; bad?: boolean }): JSX.Element => (
  <span class={bad ? 'bar bad' : 'bar'} aria-hidden="true">
    <span style={{ width: `${Math.round(Math.min(1, share) * 100)}%` }} />
  </span>
);
