import type { JSX } from 'preact';

export const Errors = (): JSX.Element => <p>soon</p>;
