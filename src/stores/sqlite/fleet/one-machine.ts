import type { HostStore } from '../../../ports/store/fleet/hosts.ts'

/** A file has one machine, which needs no name. */
export const ONE_MACHINE: HostStore = {
  self: null,
  list: async () => [],
  keepsOutput: async () => {},
  isSeen: async () => {},
}
