/** Skills of the test servers, by path below their root. */

export const UPSTREAM_SKILLS: Readonly<Record<string, string>> = {
  'kiln/SKILL.md': `---
name: kiln
description: Fire stoneware in an electric kiln, cone by cone.
metadata:
  skillgate.tools: kiln_start kiln_status
---
# Kiln

Start it with kiln_start, then read [cones](references/cones.md).
`,
  'kiln/references/cones.md': '# Cones\n\nCone 6 is 1,222 degrees.\n',
  'glazes/ash/SKILL.md': `---
name: ash
description: Mix ash glazes from wood ash and feldspar.
---
# Ash glaze

Sieve the ash.
`,
};

/** The same, one version later. */
export const LATER_SKILLS: Readonly<Record<string, string>> = {
  ...UPSTREAM_SKILLS,
  'kiln/references/cones.md': '# Cones\n\nCone 10 is 1,305 degrees.\n',
};

export const digestOf = async (text: string): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256:${Buffer.from(hash).toString('hex')}`;
};
