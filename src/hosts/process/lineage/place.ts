/** The place of a process, by its namespaces, and whether a store trusts it (P1, docs/security.md). */
import type { PlaceName, TrustedPlace } from '../../../core/people/trusted-place.ts'
import type { AccessStore } from '../../../ports/store/access.ts'
import type { Store } from '../../../ports/store/store.ts'
import { markElsewhere, markTrusted, standingHere } from './agent-around.ts'
import { placeHere, SOME_BOOT } from './namespaces.ts'

/** The namespaces of process ids and of users of the machine itself, at each start of it. Those of containers end. */
const MACHINE_PIDS = '4026531836'
const MACHINE_USERS = '4026531837'

type PlacedStore = Pick<Store, 'hosts'> & { readonly access: Pick<AccessStore, 'places' | 'claimPlace'> }

/**
 * Marks this process as one whose starter is unknown, if the store knows people of this machine only in other places.
 * The first place of a boot is trusted: nothing of an agent of this store has run there before. An agent of another
 * store may have, and without rights it makes namespaces of users first.
 */
export async function comparePlace(
  store: PlacedStore,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { access } = store
  const { agent, elsewhere } = standingHere(env)
  const here = agent === null ? placeHere() : elsewhere
  if (!here) return
  const places = await access.places()
  const known = placesOfBoot(places, here)
  if (known.some(({ namespaces }) => namespaces === here.namespaces)) markTrusted()
  else if (known.length > 0 || (here.boot === SOME_BOOT && places.length > 0)) markElsewhere(here)
  else if (!here.namespaces.endsWith(`-${MACHINE_USERS}`) && isOfMachine(store, places)) markElsewhere(here)
  else if (agent === null) await claim(access, here)
}

/** A store that takes no writes takes no decisions either. */
async function claim(access: Pick<AccessStore, 'claimPlace'>, here: PlaceName): Promise<void> {
  await access.claimPlace(here).catch(() => {})
}

function placesOfBoot(places: readonly TrustedPlace[], { boot }: PlaceName): readonly TrustedPlace[] {
  return boot === SOME_BOOT ? places : places.filter(place => place.boot === boot || place.boot === SOME_BOOT)
}

/** True if people used the store from the machine itself, at any start of it: that place recurs. */
function isOfMachine({ hosts }: Pick<Store, 'hosts'>, places: readonly TrustedPlace[]): boolean {
  // If there are several hosts, the host of a place is unknown.
  return hosts.self === null && places.some(isMachine)
}

function isMachine({ namespaces }: PlaceName): boolean {
  return namespaces.startsWith(`${MACHINE_PIDS}-`)
}

/** False if one of the places that a store trusts lasts as long as the machine runs, so that a person can trust from there. */
export function mayBeGone(store: Pick<Store, 'hosts'>, places: readonly TrustedPlace[], here: PlaceName): boolean {
  return !isOfMachine(store, places) && !placesOfBoot(places, here).some(isMachine)
}

/** The text that `placeIn` reads. */
export function placeText({ boot, namespaces }: PlaceName): string {
  return `${boot}/${namespaces}`
}

export function placeIn(text: string): PlaceName | null {
  const [, boot, namespaces] = /^([\w-]{1,64})\/(\d+-\d+-\d+)$/.exec(text) ?? []
  return boot && namespaces ? { boot, namespaces } : null
}
