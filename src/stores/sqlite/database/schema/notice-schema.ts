/** Which settings of a channel had its receiver say that it wants no more. */
export const REFUSING_RECEIVERS = `
  ALTER TABLE notices ADD COLUMN refused_with TEXT;
  CREATE INDEX notices_refused ON notices (channel, address) WHERE refused_with IS NOT NULL;
`
