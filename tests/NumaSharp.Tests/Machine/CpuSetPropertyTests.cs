using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>CpuSet against the BCL's sets.</summary>
public sealed class CpuSetPropertyTests() : CpuSetProperties(tries: 100);

/// <summary>The same with more sets.</summary>
[Trait("tier", "deep")]
public sealed class CpuSetManyPropertyTests() : CpuSetProperties(tries: 500);

public abstract class CpuSetProperties(int tries)
{
    // Around word borders, anywhere in a machine, and at the end of the range.
    private static Gen<int> Ids => Gen.Frequency(
        (4, Gen.Choose(0, 70)),
        (2, Gen.Choose(0, 8192)),
        (1, Gen.Choose(CpuSet.MaxId - 70, CpuSet.MaxId)));

    private static Arbitrary<int[]> Sets => Gen.ArrayOf(Ids).ToArbitrary();

    private void Check(Action<int[]> property) =>
        Prop.ForAll(Sets, property).Check(Config.QuickThrowOnFailure.WithMaxTest(tries));

    private void Check(Action<int[], int[]> property) =>
        Prop.ForAll(Sets, Sets, property).Check(Config.QuickThrowOnFailure.WithMaxTest(tries));

    [Fact]
    public void ListFormat_AnySet_RoundTrips() => Check(static ids =>
    {
        var set = CpuSet.FromIds(ids);
        Assert.Equal(set, CpuSet.ParseList(set.ToString()));
    });

    [Fact]
    public void MaskFormat_AnySet_RoundTrips() => Check(static ids =>
    {
        var set = CpuSet.FromIds(ids);
        Assert.True(CpuSet.TryParseMask(set.ToMaskString(), out var parsed));
        Assert.Equal(set, parsed);
        Assert.True(CpuSet.TryParseMask("0x" + set.ToMaskString().Replace(",", "", StringComparison.Ordinal), out parsed));
        Assert.Equal(set, parsed);
    });

    [Fact]
    public void Words_AnySet_RoundTrip() => Check(static ids =>
    {
        var set = CpuSet.FromIds(ids);
        Assert.Equal(set, CpuSet.FromWords([.. set.AsWords(), 0]));
        Assert.True(set.IsEmpty || set.AsWords()[^1] != 0);
    });

    [Fact]
    public void Elements_AnySet_AreThoseOfTheOracle() => Check(static ids =>
    {
        var set = CpuSet.FromIds(ids);
        var oracle = new SortedSet<int>(ids);
        Assert.Equal(oracle, set);
        Assert.Equal(oracle.Count, set.Count);
        Assert.Equal(oracle.Count == 0 ? -1 : oracle.Min, set.First);
        Assert.Equal(oracle.Count == 0 ? -1 : oracle.Max, set.Last);
        Assert.True(ids.All(set.Contains));
    });

    [Fact]
    public void Algebra_AnyTwoSets_AgreesWithTheOracle() => Check(static (left, right) =>
    {
        var (a, b) = (CpuSet.FromIds(left), CpuSet.FromIds(right));
        Assert.Equal(left.Union(right).Order(), a.Union(b));
        Assert.Equal(left.Intersect(right).Order(), a.Intersect(b));
        Assert.Equal(left.Except(right).Order(), a.Except(b));
        Assert.Equal(new HashSet<int>(left).IsSubsetOf(right), a.IsSubsetOf(b));
        Assert.Equal(new HashSet<int>(left).Overlaps(right), a.Overlaps(b));
    });

    [Fact]
    public void Equality_AnyTwoSets_IsThatOfTheElements() => Check(static (left, right) =>
    {
        var (a, b) = (CpuSet.FromIds(left), CpuSet.FromIds(right));
        Assert.Equal(new HashSet<int>(left).SetEquals(right), a.Equals(b));
        Assert.Equal(a.Equals(b), a == b);
        Assert.Equal(a, a.Union(b).Except(b.Except(a)));
        Assert.Equal(a.Union(b).GetHashCode(), b.Union(a).GetHashCode());
    });

    [Fact]
    public void Ranges_WithAnyStride_AgreeWithTheDefinition() => Prop.ForAll(
        Gen.Four(Gen.Choose(0, 200)).ToArbitrary(),
        static quad =>
        {
            var (first, length, used, group) = (quad.Item1, quad.Item2, (quad.Item3 % 40) + 1, 0);
            group = used + (quad.Item4 % 40);
            var expected = Enumerable.Range(first, length + 1).Where(id => (id - first) % group < used);
            Assert.Equal(expected, CpuSet.ParseList($"{first}-{first + length}:{used}/{group}"));
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(tries));

    [Fact]
    public void Parsers_AnyText_NeverThrow() => Prop.ForAll(
        Gen.ArrayOf(Gen.Elements("0123456789abcdefx,-:/ \n\0".ToCharArray()))
            .Select(static text => new string(text))
            .ToArbitrary(),
        static text =>
        {
            if (CpuSet.TryParseList(text, out var list))
            {
                Assert.Equal(list, CpuSet.ParseList(list.ToString()));
            }

            if (CpuSet.TryParseMask(text, out var mask))
            {
                Assert.InRange(mask.Last, -1, CpuSet.MaxId);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(4 * tries));
}
