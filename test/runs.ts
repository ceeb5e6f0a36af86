const BY_DAY = 5

/** How often a property is tried: all of `whole` by night, and a fifth by day. Each time others, so that days add up. */
export function runs(whole: number): number {
  return process.env['HOLDPOINT_NIGHTLY'] ? whole : Math.ceil(whole / BY_DAY)
}
