import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { changeQuery, useRoute } from './route.js';

/**
 * Keeps the fields of a form in sync with the query parameters of the same names in the address. When the address
 * changes, the fields are updated in place, so that the focus is not lost.
 */
export function useAddressForm(): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const { query } = useRoute();
  const queryString = query.toString();
  useLayoutEffect(() => {
    for (const field of form.current?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]') ?? []) {
      field.value = query.get(field.name) ?? '';
      // The address may contain a value that is not among the options.
      if (field instanceof HTMLSelectElement && field.selectedIndex < 0) field.selectedIndex = 0;
    }
  }, [queryString]);
  return form;
}

/** Writes the form's fields into the address. */
export function applyForm(event: Event): void {
  event.preventDefault();
  const form = new FormData(event.currentTarget as HTMLFormElement);
  const entries = [...form].map(([name, value]) => [name, String(value).trim() || undefined] as const);
  changeQuery({ ...Object.fromEntries(entries), cursor: undefined });
}
