/**
 * Statistics of letter groups for 60 languages, in a module of its own, which is loaded when they are first needed
 * (language-detection.ts). They take 29 MB, and 1 MB in the bundled program, which packs them (scripts/letter-groups.mjs).
 */
export { eld as letterGroups } from 'eld/extrasmall';
