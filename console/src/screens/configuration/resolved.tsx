import type { JSX } from 'preact';
import { Empty } from '../../ui/answers.js';

export const Resolved = (): JSX.Element => <Empty>Soon.</Empty>;
