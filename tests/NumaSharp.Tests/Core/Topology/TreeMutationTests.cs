using System.Text;
using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Whatever happens to the files of a machine, the answer is a usable topology or a typed error.</summary>
public sealed class TreeMutationTests
{
    private static readonly Func<MachineTree>[] s_machines =
    [
        MachineTree.TwoNodes,
        MachineTree.CpulessNode,
        MachineTree.SparseIds,
        MachineTree.WithoutNuma,
        MachineTree.AllCpusEverywhere,
        MachineTree.CgroupVersion1,
        MachineTree.CgroupVersion2,
        static () => MachineShape.Uniform(1, 2, 2, coresPerCache: 1, threads: 2).Write(new MachineTree()),
    ];

    private static readonly string[] s_fragments =
    [
        "", "\n", "\0", ",", "-", "0-", "-1", "7-0", "0-65535", "0-65535:1/2", "65536", "18446744073709551616",
        "0:", "a/b", "..", "ffffffff,ffffffff", "kB", "MemTotal:", "0::/../..", ":cpuset:/",
        "Cpus_allowed_list:", "\u00ff\u00fe", "%n%s", "10 10 10",
    ];

    private static Gen<string> Texts(string original) => Gen.Frequency(
        (2, Gen.Elements(s_fragments)),
        (2, Gen.Choose(0, original.Length).Select(length => original[..length])),
        (2, Gen.ArrayOf(Gen.Choose(0, 255), 40).Select(static bytes => string.Concat(bytes.Select(static value => (char)value)))),
        (4, from at in Gen.Choose(0, original.Length)
            from length in Gen.Choose(0, original.Length - at)
            from fragment in Gen.Elements(s_fragments)
            select string.Concat(original.AsSpan(0, at), fragment, original.AsSpan(at + length))),
        (1, Gen.Choose(1, 5_000).Select(count => new StringBuilder().Insert(0, original, count % 50).ToString())));

    [Theory]
    [InlineData(8)]
    [InlineData(150, Traits = new[] { "tier", "deep" })]
    public void Read_MutatedMachine_GivesUsableTopologyOrTypedError(int mutationsOfEach)
    {
        foreach (var machine in s_machines)
        {
            using var tree = machine();
            tree.Write(MachineTree.Status, "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0-1\n");
            string[] files = [.. tree.Files.Distinct()];
            var originals = files.ToDictionary(static file => file, file => File.ReadAllText(tree.PathOf(file), Encoding.Latin1));
            var mutations =
                from count in Gen.Choose(1, 3)
                from changed in Gen.ArrayOf(Gen.Elements(files), count)
                from texts in Gen.CollectToArray(changed, file => Texts(originals[file]))
                select changed.Zip(texts).ToArray();
            Prop.ForAll(mutations.ToArbitrary(), mutation => AssertReads(tree, originals, mutation))
                .Check(Config.QuickThrowOnFailure.WithMaxTest(mutationsOfEach));
        }
    }

    private static void AssertReads(MachineTree tree, Dictionary<string, string> originals, (string File, string Text)[] mutation)
    {
        foreach (var (file, text) in mutation)
        {
            File.WriteAllText(tree.PathOf(file), text, Encoding.Latin1);
        }

        try
        {
            UsableTopology.Check(tree.Read());
        }
        catch (NumaTopologyException exception)
        {
            Assert.NotEmpty(exception.Path);
        }
        finally
        {
            foreach (var (file, _) in mutation)
            {
                File.WriteAllText(tree.PathOf(file), originals[file], Encoding.Latin1);
            }
        }
    }
}
