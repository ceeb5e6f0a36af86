/** Notes a process as a command of an agent: it and its descendants sign as `actor`. Call the result once it has ended. */
export type NoteCommand = (pid: number, actor: string) => () => void
