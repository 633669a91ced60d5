using FsCheck;
using FsCheck.Fluent;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>A list of steps, printed whole when it fails.</summary>
internal sealed class ModelCase(IReadOnlyList<ModelStep> steps)
{
    public static Arbitrary<ModelCase> OfSteps(int count) => Arb.From(
        Gen.ArrayOf(ModelStep.Any, count).Select(static steps => new ModelCase(steps)), static found => found.Shorter());

    public IReadOnlyList<ModelStep> Steps => steps;

    public override string ToString() => string.Join("; ", steps);

    // Without a half, a quarter, and so on to a single step.
    private IEnumerable<ModelCase> Shorter()
    {
        for (var length = steps.Count / 2; length > 0; length /= 2)
        {
            for (var first = 0; first + length <= steps.Count; first += length)
            {
                yield return new ModelCase([.. steps.Take(first), .. steps.Skip(first + length)]);
            }
        }
    }
}
