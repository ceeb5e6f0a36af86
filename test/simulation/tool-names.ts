export const TOOLS = [
  'plain',
  'again',
  'picky',
  'failing',
  'slow',
  'stubborn',
  'asks_replay',
  'asks_value',
  'asks_decision',
  'elsewhere',
  'destroys',
  'demanding',
  'aborting',
] as const
export type ToolName = (typeof TOOLS)[number]

/** What these do cannot be taken back. */
export const DESTRUCTIVE: ReadonlySet<string> = new Set<ToolName>(['destroys'])
