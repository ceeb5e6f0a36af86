/** The header in which a program of the owner names the person to a daemon on its socket, percent-encoded. */
export const ACTOR_HEADER = 'holdpoint-actor'
