using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>What allocator is tested.</summary>
/// <param name="Checks">Its mode.</param>
/// <param name="Nodes">Of how many nodes.</param>
/// <param name="Mode">How it binds.</param>
/// <param name="Limit">Bytes per node; 0 for no limit.</param>
internal sealed record ModelSetup(
    NumaMemoryCheckMode Checks, int Nodes, NumaBindMode Mode = NumaBindMode.Advisory, long Limit = 0)
{
    private static readonly NumaMemoryPolicy[] s_policies =
        [NumaMemoryPolicy.Local, NumaMemoryPolicy.Interleave, NumaMemoryPolicy.Saturate];

    public SimulatedMachineOptions Machine => TestMachines.WithIds(Enumerable.Range(0, Nodes));

    public NumaPlan CreatePlan() =>
        Machine.Plan(new NumaPlanRequest { BindMode = Mode, Policy = s_policies[Nodes % s_policies.Length] });
}
