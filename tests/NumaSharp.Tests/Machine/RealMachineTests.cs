using System.Globalization;
using NumaSharp.Core;

[assembly: AssemblyFixture(typeof(RealMachines))]

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Our reading of the real machines against hwloc's.</summary>
public sealed class RealMachineTests(RealMachines machines)
{
    public static TheoryData<string> Machines { get; } = [.. RealMachines.Names];

    [Theory]
    [MemberData(nameof(Machines))]
    public void Read_RealMachine_AgreesWithHwloc(string machine)
    {
        var expected = RealMachines.Facts(machine).Answers!;

        var topology = machines.Read(machine);

        TestContext.Current.TestOutputHelper?.WriteLine(string.Join('\n', topology.Warnings));
        Assert.Equal(expected.Cpus, topology.AllowedCpus);
        Assert.Equal(expected.MemoryNodes, topology.MemoryNodes);
        Assert.All(expected.Memory, memory => Assert.Equal(
            memory.Memory, AsPrintedLike(memory.Memory, topology.FindNode(new(memory.Node))!.MemoryBytes)));
    }

    // hwloc rounds to the nearest, in a unit that leaves at least two digits; where it is asked for more, it gives bytes.
    private static string AsPrintedLike(string expected, long bytes)
    {
        if (expected.All(char.IsAsciiDigit))
        {
            return bytes.ToString(CultureInfo.InvariantCulture);
        }

        string[] units = ["KiB", "MiB", "GiB", "TiB"];
        var unit = 0;
        while (unit < units.Length - 1 && bytes >= 10L << (10 * (unit + 2)))
        {
            unit++;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{((bytes >> ((10 * unit) + 9)) + 1) >> 1}{units[unit]}");
    }
}
