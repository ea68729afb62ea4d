import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionDto } from '../api/schema.js';

const ROLES = ['read', 'operate', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const SessionContext = createContext<SessionDto>({ name: '', role: 'read', keyWanted: true, version: '' });

export const useSession = (): SessionDto => useContext(SessionContext);

/** Whether the signed-in user has this role or a higher one. Controls that the user may not use are hidden. */
export function useHasRole(role: Role): boolean {
  return ROLES.indexOf(useSession().role) >= ROLES.indexOf(role);
}
