namespace NumaSharp.Tests.Core.Topology;

/// <summary>The real machines, as they are laid out from their facts, as we read them and as the installed hwloc does.</summary>
public sealed class LstopoOracleTests(RealMachines machines)
{
    [Theory]
    [MemberData(nameof(RealMachineTests.Machines), MemberType = typeof(RealMachineTests))]
    public Task Read_RealMachine_AgreesWithLstopo(string machine) => LstopoOracle.AssertAgreesAsync(machines.Find(machine));
}
