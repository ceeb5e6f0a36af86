/**
 * The version of the tools that come with Holdpoint. A release that lets one of them do something else with the same
 * arguments counts it up, and what was approved before is asked about again.
 */
export const BUILT_IN_VERSION = 'built-in 1'
