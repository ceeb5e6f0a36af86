/** A part of the page that the server does not give: another version of the page has taken its place, or nothing answers. */
export class MissingPartError extends Error {
  constructor(cause: unknown) {
    super('A part of this page cannot be loaded.', { cause })
    this.name = 'MissingPartError'
  }
}
