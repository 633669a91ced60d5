using NumaSharp.WindowsProbe;

// What the Windows provider does on the Windows (or Wine) at hand. Ends with 0 when everything is as it must be.
// no-caches: Wine is on a machine that does not tell it of its caches.
var checks = new Checks();
await checks.Run("one node", () => SingleNodeProbe.Run(checks));
await checks.Run("topology", () => TopologyProbe.Run(checks, hasCaches: !args.Contains("no-caches")));
await checks.Run("affinity", () => AffinityProbe.Run(checks));
await checks.Run("memory", () => MemoryProbe.Run(checks));
await checks.Run("host", () => HostProbe.Run(checks));
return checks.Report();
