/** How a program of the owner tells a daemon on its socket for whom it asks, percent-encoded. */
export const ACTOR_HEADER = 'holdpoint-actor'
