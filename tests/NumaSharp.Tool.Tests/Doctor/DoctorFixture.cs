using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Tool.Doctor;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>A healthy machine of two nodes, to be made ill by a test.</summary>
internal sealed class DoctorFixture : IDisposable
{
    public MachineTree Tree { get; } = MachineTree.TwoNodes();

    public NumaTopology? Topology { get; set; }

    public NumaPlanRequest Request { get; set; } = new();

    public NumaOptions Options { get; } = new();

    public Dictionary<string, string> Environment { get; } = [];

    public string? RuntimeConfig { get; set; }

    /// <summary>How many CPUs .NET counts; 0: it is another machine.</summary>
    public int Processors { get; set; }

    public ApplicationFiles Application { get; set; } = ApplicationFiles.None;

    /// <summary>Whether the doctor is asked about a pod.</summary>
    public bool IsInPod { get; set; }

    public ISystemProbe? Probe { get; set; }

    public Measurements? Measured { get; set; }

    /// <summary>Two nodes with CPUs 0-3 and 4-7, changed as a test likes.</summary>
    public static NumaTopology TwoNodes(Func<NumaNode, NumaNode>? change = null) => new("Test", Nodes(change));

    public static IEnumerable<NumaNode> Nodes(Func<NumaNode, NumaNode>? change = null) =>
        new[] { TestMachines.Node(0, "0-3"), TestMachines.Node(1, "4-7") }.Select(node => change?.Invoke(node) ?? node);

    public Diagnosis Examine() => Diagnosis.Of(new CheckContext
    {
        Files = new TreeReader(Tree.PathOf("")),
        Plan = NumaPlan.Create(Topology ?? Tree.Read(), Request),
        Options = Options,
        Application = Application,
        Processors = Processors,
        Gc = GcSettings.Read(Environment, RuntimeConfig),
        Probe = Probe,
        Measured = Measured,
        Pod = IsInPod
            ? PodCgroup.Read(new TreeReader(Tree.PathOf("")), name => Environment.GetValueOrDefault(name))
            : null,
    });

    /// <summary>The only finding of a check.</summary>
    public Finding Find(string id)
    {
        var finding = Assert.Single(Examine().Findings, finding => finding.Id == id);
        Assert.NotEmpty(finding.Advice);
        Assert.NotEmpty(finding.Evidence);
        return finding;
    }

    /// <summary>Whether a check finds anything.</summary>
    public bool Finds(string id) => Examine().Findings.Any(finding => finding.Id == id);

    public void AssertHealthy(string id) => Assert.DoesNotContain(Examine().Findings, finding => finding.Id == id);

    public void Dispose() => Tree.Dispose();
}
