/**
 * Statistics of letter groups for 60 languages, in a module of its own because they take 29 MB: it is loaded when they are first
 * needed (language-detection.ts).
 */
export { eld as letterGroups } from 'eld/extrasmall';
