import { href } from './route.js';

/** The link to the screen where a place in the configuration can be viewed and edited. */
export const getPlaceLink = ({ file, line }: { file: string; line: number }, crawler?: string): string =>
  /\.xml$/i.test(file)
    ? href('/configuration', { crawler, view: 'xml', line })
    : href('/configuration', { crawler, view: 'other', file, line });
