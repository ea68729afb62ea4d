import { href } from './route.js';

/** Link to the screen where a place in the configuration can be seen and changed. */
export const placeLink = ({ file, line }: { file: string; line: number }, crawler?: string): string =>
  /\.xml$/i.test(file)
    ? href('/configuration', { crawler, view: 'xml', line })
    : href('/configuration', { crawler, view: 'other', file, line });
