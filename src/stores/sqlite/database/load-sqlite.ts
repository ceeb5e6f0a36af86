/** Early releases of Node 24 warn that their SQLite is experimental; stderr belongs to the host. */
export async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...details: never[]) => {
    if (!String(warning).startsWith('SQLite is an experimental')) emitWarning.call(process, warning, ...details)
  }) as typeof emitWarning
  try {
    return await import('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
