#include "ayatori/drawing/drawing.hpp"

#include "bindings.hpp"

namespace ayatori::python {

namespace {

using namespace drawing;

const char* to_word(DrawnBundle::Form form) {
  switch (form) {
    case DrawnBundle::Form::line:
      return "line";
    case DrawnBundle::Form::curve:
      return "curve";
    case DrawnBundle::Form::ends:
      return "ends";
  }
  return "";
}

const char* to_word(Text::Anchor anchor) {
  switch (anchor) {
    case Text::Anchor::start:
      return "start";
    case Text::Anchor::middle:
      return "middle";
    case Text::Anchor::end:
      return "end";
  }
  return "";
}

/// The points as x, y, x, y, …
std::vector<double> flat(const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) values.insert(values.end(), {point.x, point.y});
  return values;
}

void bind_shapes(nb::module_& module) {
  nb::class_<Box>(module, "DrawnBox")
      .def_ro("x", &Box::x)
      .def_ro("y", &Box::y)
      .def_ro("width", &Box::width)
      .def_ro("height", &Box::height)
      .def_ro("round", &Box::round);
  nb::class_<Frame>(module, "DrawnFrame")
      .def_ro("x", &Frame::x)
      .def_ro("y", &Frame::y)
      .def_ro("width", &Frame::width)
      .def_ro("height", &Frame::height)
      .def_ro("round", &Frame::round)
      .def_prop_ro("label", [](const Frame& frame) { return text(frame.label); })
      .def_ro("routers", &Frame::routers);
  nb::class_<Dot>(module, "DrawnDot").def_ro("x", &Dot::x).def_ro("y", &Dot::y).def_ro("endpoint", &Dot::endpoint);
  nb::class_<DrawnBundle>(module, "DrawnBundle")
      .def_prop_ro("form", [](const DrawnBundle& drawn) { return to_word(drawn.form); })
      .def_ro("faint", &DrawnBundle::faint)
      .def_ro("degraded", &DrawnBundle::degraded)
      .def_prop_ro("points", [](const DrawnBundle& drawn) { return flat(drawn.points); })
      .def_ro("ports", &DrawnBundle::ports);
  nb::class_<MissingCables>(module, "MissingCables")
      .def_ro("from_router", &MissingCables::from)
      .def_ro("to_router", &MissingCables::to)
      .def_ro("cables", &MissingCables::cables)
      .def_ro("usual", &MissingCables::usual)
      .def_prop_ro("points", [](const MissingCables& missing) { return flat(missing.points); });
  nb::class_<Text>(module, "DrawnText")
      .def_ro("x", &Text::x)
      .def_ro("y", &Text::y)
      .def_prop_ro("text", [](const Text& drawn) { return text(drawn.text); })
      .def_prop_ro("anchor", [](const Text& drawn) { return to_word(drawn.anchor); })
      .def_ro("angle", &Text::angle)
      .def_ro("inside", &Text::inside)
      .def_ro("size", &Text::size);
}

}  // namespace

void bind_drawing(nb::module_& module) {
  bind_shapes(module);
  nb::class_<Drawing>(module, "Drawing", "Where everything stands in a drawing; see ayatori/drawing/drawing.hpp.")
      .def_ro("width", &Drawing::width)
      .def_ro("height", &Drawing::height)
      .def_ro("dot", &Drawing::dot)
      .def_ro("thickness", &Drawing::thickness)
      .def_ro("opacity", &Drawing::opacity)
      .def_prop_ro("labels",
                   [](const Drawing& drawing) {
                     nb::list labels;
                     for (const std::string& label : drawing.labels) labels.append(text(label));
                     return labels;
                   })
      .def_ro("boxes", &Drawing::boxes)
      .def_ro("box_of", &Drawing::box_of, "By router, where boxes stand for several routers; else empty.")
      .def_prop_ro("box_names",
                   [](const Drawing& drawing) {
                     nb::list names;
                     for (const std::string& name : drawing.box_names) names.append(text(name));
                     return names;
                   })
      .def_ro("frames", &Drawing::frames)
      .def_ro("dots", &Drawing::dots)
      .def_ro("bundles", &Drawing::bundles)
      .def_ro("missing", &Drawing::missing)
      .def_ro("texts", &Drawing::texts)
      .def_prop_ro("remark", [](const Drawing& drawing) { return text(drawing.remark); });
  module.def("draw", [](const Network& network) {
    const nb::gil_scoped_release without_gil;
    return unwrap(draw(network));
  });
}

}  // namespace ayatori::python
