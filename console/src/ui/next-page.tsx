import type { JSX } from 'preact';
import { changeQuery } from '../state/route.js';

/** A button for the next page of a list, if there is one. */
export const NextPage = ({ next, children }: { next: string | null; children: string }): JSX.Element | null =>
  next === null ? null : (
    <button type="button" class="button" onClick={() => changeQuery({ cursor: next })}>
      {children}
    </button>
  );
